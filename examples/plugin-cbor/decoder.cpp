#include <kitbag/error.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "cbor.h"

namespace cbor {
namespace {

using kitbag::ByteView;
using kitbag::Error;
using kitbag::ErrorCode;
using kitbag::Field;
using kitbag::Kind;
using kitbag::Type;

constexpr std::size_t kMaxDepth = 4 * kitbag::kMaxTypeDepth;

/// What an item begins with.
struct Head {
  Major major = Major::simple;
  std::uint8_t low = 0;  ///< the additional information
  std::uint64_t argument = 0;

  bool is_indefinite() const { return low == additional::kIndefinite; }
  bool is_break() const { return major == Major::simple && is_indefinite(); }
  bool is_nothing() const {
    return major == Major::simple && (low == additional::kNull || low == additional::kUndefined);
  }
};

double half(std::uint64_t bits) {
  auto exponent = static_cast<int>(bits >> 10 & 0x1f);
  auto fraction = static_cast<double>(bits & 0x3ff);
  double magnitude = exponent == 0      ? std::ldexp(fraction, -24)
                     : exponent == 0x1f ? (fraction == 0 ? std::numeric_limits<double>::infinity()
                                                         : std::numeric_limits<double>::quiet_NaN())
                                        : std::ldexp(fraction + 1024, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

/// Goes over the items of one payload.
class Walk {
 public:
  Walk(ByteView payload, kitbag::Visitor& visitor) : payload_(payload), visitor_(visitor) {}

  void value(const Type& type) {
    require_depth(++depth_);
    std::size_t begin = at_;
    Head head = untagged();
    if (type.kind == Kind::any) {
      any(head, type);
    } else if (kitbag::is_compound(type.kind)) {
      if (head.major != Major::map) fail(begin, type);
      compound(head, type);
    } else if (kitbag::is_list(type.kind)) {
      list(head, begin, type);
    } else {
      scalar(head, begin, type);
    }
    --depth_;
  }

  void require_end() const {
    if (at_ < payload_.size()) {
      throw Error(ErrorCode::corrupt,
                  std::to_string(payload_.size() - at_) + " bytes remain after the message", {},
                  at_);
    }
  }

 private:
  [[noreturn]] static void fail(std::size_t offset, const Type& type) {
    throw Error(ErrorCode::corrupt, "expected " + kitbag::type_name(type), {}, offset);
  }

  void require_depth(std::size_t depth) const {
    if (depth > kMaxDepth) {
      throw Error(ErrorCode::corrupt, "the items are nested too deep", {}, at_);
    }
  }

  ByteView take(std::uint64_t count) {
    if (count > payload_.size() - at_) {
      throw Error(
          ErrorCode::truncated,
          std::to_string(count - (payload_.size() - at_)) + " bytes are missing from the payload",
          {}, at_);
    }
    at_ += static_cast<std::size_t>(count);
    return payload_.subspan(at_ - static_cast<std::size_t>(count), static_cast<std::size_t>(count));
  }

  Head head() {
    auto first = std::to_integer<std::uint8_t>(take(1)[0]);
    Head head{static_cast<Major>(first >> 5), static_cast<std::uint8_t>(first & 0x1f), 0};
    head.argument = head.low;
    if (head.low < additional::kOneByte || head.is_indefinite()) return head;
    if (head.low > additional::kDouble) {
      throw Error(ErrorCode::corrupt, "an item begins with a reserved value", {}, at_ - 1);
    }
    head.argument = 0;
    for (std::byte byte : take(std::uint64_t{1} << (head.low - additional::kOneByte))) {
      head.argument = head.argument << 8 | std::to_integer<std::uint64_t>(byte);
    }
    return head;
  }

  /// The head of the next item; the last tag in front of it is kept in tag_.
  Head untagged() {
    tag_ = std::numeric_limits<std::uint64_t>::max();
    Head found = head();
    for (; found.major == Major::tag; found = head()) tag_ = found.argument;
    return found;
  }

  ByteView string(const Head& head) {
    if (head.is_indefinite()) {
      throw Error(ErrorCode::unsupported, "strings in pieces are not supported", {}, at_ - 1);
    }
    return take(head.argument);
  }

  /// Goes over the items of a list or map, or to the break of an open one; `each` takes one.
  template <class Each>
  void items(const Head& head, const Each& each) {
    if (!head.is_indefinite()) {
      require_room(head);
      for (std::uint64_t i = 0; i < head.argument; ++i) each();
      return;
    }
    while (!is_at_break()) each();
    ++at_;
  }

  /// An item has a byte or more.
  void require_room(const Head& list) {
    if (list.argument > payload_.size() - at_) take(list.argument);
  }

  bool is_at_break() {
    std::size_t begin = at_;
    bool is_break = head().is_break();
    at_ = begin;
    return is_break;
  }

  void skip() {
    require_depth(++depth_);
    Head found = untagged();
    if (found.major == Major::bytes || found.major == Major::text) string(found);
    if (found.major == Major::array) items(found, [this] { skip(); });
    if (found.major == Major::map) items(found, [this] { skip(), skip(); });
    if (found.is_break()) throw Error(ErrorCode::corrupt, "unexpected break", {}, at_ - 1);
    --depth_;
  }

  std::size_t count_items(const Head& list) {
    if (!list.is_indefinite()) {
      require_room(list);
      return static_cast<std::size_t>(list.argument);
    }
    std::size_t begin = at_;
    std::size_t count = 0;
    items(list, [&] { skip(), ++count; });
    at_ = begin;
    return count;
  }

  std::string_view key() {
    Head found = untagged();
    if (found.major != Major::text) {
      throw Error(ErrorCode::corrupt, "the key of a map is not text", {}, at_ - 1);
    }
    return kitbag::as_text(string(found));
  }

  /// Entries may come in any order; fields are passed on in the order of the type.
  void compound(const Head& map, const Type& type) {
    std::vector<std::pair<std::string_view, std::size_t>> entries;
    items(map, [&] {
      std::string_view name = key();
      entries.emplace_back(name, at_);
      skip();
    });
    std::size_t end = at_;
    visitor_.begin_struct(type);
    bool is_union = type.kind == Kind::tagged_union;
    std::size_t count =
        is_union ? std::min<std::size_t>(type.fields.size(), 1) : type.fields.size();
    for (std::size_t i = 0; i < count; ++i) member(type.fields[i], entries);
    if (const Field* branch = is_union ? branch_of(type, entries) : nullptr) {
      member(*branch, entries);
    }
    visitor_.end_struct();
    at_ = end;
  }

  template <class Entries>
  static auto find_entry(const Field& field, const Entries& entries) {
    return std::find_if(entries.begin(), entries.end(),
                        [&](const auto& entry) { return entry.first == field.name; });
  }

  template <class Entries>
  void member(const Field& field, const Entries& entries) {
    visitor_.field(field);
    auto found = find_entry(field, entries);
    if (found == entries.end()) return kitbag::visit_default(field, visitor_);
    at_ = found->second;
    if (field.is_optional) {
      if (untagged().is_nothing()) return visitor_.nothing(*field.type);
      at_ = found->second;
    }
    value(*field.type);
  }

  template <class Entries>
  const Field* branch_of(const Type& type, const Entries& entries) {
    auto found = find_entry(type.fields[0], entries);
    if (found == entries.end()) return kitbag::find_branch(type, 0);
    at_ = found->second;
    Head label = untagged();
    if (label.major == Major::simple) {
      return kitbag::find_branch(type, label.low == additional::kTrue ? 1 : 0);
    }
    auto value = static_cast<std::int64_t>(label.argument);
    return kitbag::find_branch(type, label.major == Major::negative_integer ? ~value : value);
  }

  void list(const Head& head, std::size_t begin, const Type& type) {
    if (head.major == Major::bytes) return typed_array(head, begin, type);
    if (head.major != Major::array) fail(begin, type);
    std::size_t count = count_items(head);
    require_length(count, begin, type);
    visitor_.begin_array(type, count);
    items(head, [&] { value(*type.element); });
    visitor_.end_array();
  }

  void typed_array(const Head& head, std::size_t begin, const Type& type) {
    const Type* stored = sequence_of_tag(tag_);
    const Type& element = *type.element;
    bool is_same = kitbag::is_byte(element.kind) ? !stored || stored == &bytes_type()
                                                 : stored && stored->element->kind == element.kind;
    std::size_t size = kitbag::is_scalar(element.kind) ? kitbag::scalar_bytes(element.kind) : 0;
    ByteView bytes = string(head);
    if (!is_same || size == 0 || bytes.size() % size != 0) fail(begin, type);
    require_length(bytes.size() / size, begin, type);
    visitor_.begin_array(type, bytes.size() / size);
    visitor_.packed(element, bytes);
    visitor_.end_array();
  }

  static void require_length(std::size_t count, std::size_t begin, const Type& type) {
    if (type.kind == Kind::array && count != type.length) fail(begin, type);
  }

  void scalar(const Head& head, std::size_t begin, const Type& type) {
    if (kitbag::is_text(type.kind)) {
      if (head.major != Major::text) fail(begin, type);
      return visitor_.text(type, kitbag::as_text(string(head)));
    }
    if (type.kind == Kind::boolean) {
      bool is_boolean = head.major == Major::simple &&
                        (head.low == additional::kTrue || head.low == additional::kFalse);
      if (!is_boolean) fail(begin, type);
      return visitor_.boolean(type, head.low == additional::kTrue);
    }
    if (kitbag::is_real(type.kind)) return visitor_.real(type, number(head, begin, type));
    integer(head, begin, type);
  }

  static double number(const Head& head, std::size_t begin, const Type& type) {
    if (head.major == Major::unsigned_integer) return static_cast<double>(head.argument);
    if (head.major == Major::negative_integer) return -1 - static_cast<double>(head.argument);
    if (head.major != Major::simple) fail(begin, type);
    switch (head.low) {
      case additional::kHalf:
        return half(head.argument);
      case additional::kSingle:
        return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(head.argument)));
      case additional::kDouble:
        return std::bit_cast<double>(head.argument);
      default:
        fail(begin, type);
    }
  }

  void integer(const Head& head, std::size_t begin, const Type& type) {
    Kind kind = type.kind == Kind::enumeration ? type.base : type.kind;
    auto bits = static_cast<unsigned>(8 * kitbag::scalar_bytes(kind));
    bool is_signed =
        kind == Kind::int8 || kind == Kind::int16 || kind == Kind::int32 || kind == Kind::int64;
    bool is_negative = head.major == Major::negative_integer;
    if ((!is_negative && head.major != Major::unsigned_integer) || (is_negative && !is_signed)) {
      fail(begin, type);
    }
    unsigned room = is_signed ? bits - 1 : bits;
    if (room < 64 && head.argument >> room != 0) fail(begin, type);
    if (is_signed) {
      auto value = static_cast<std::int64_t>(head.argument);
      visitor_.integer(type, is_negative ? ~value : value);
    } else {
      visitor_.unsigned_integer(type, head.argument);
    }
  }

  /// An item whose type only the item itself shows.
  void any(const Head& head, const Type& type) {
    std::size_t begin = at_ - 1;
    switch (head.major) {
      case Major::unsigned_integer:
        return visitor_.unsigned_integer(type, head.argument);
      case Major::negative_integer:
        if (head.argument >> 63 != 0) fail(begin, type);
        return visitor_.integer(type, ~static_cast<std::int64_t>(head.argument));
      case Major::text:
        return visitor_.text(type, kitbag::as_text(string(head)));
      case Major::bytes: {
        const Type* stored = sequence_of_tag(tag_);
        return typed_array(head, begin, stored ? *stored : bytes_type());
      }
      case Major::array:
        visitor_.begin_array(type, count_items(head));
        items(head, [&] { value(type); });
        return visitor_.end_array();
      case Major::map:
        visitor_.begin_struct(type);
        items(head, [&] {
          Field field;
          field.name = key();
          field.type = &type;
          visitor_.field(field);
          value(type);
        });
        return visitor_.end_struct();
      default:
        simple(head, begin, type);
    }
  }

  void simple(const Head& head, std::size_t begin, const Type& type) {
    if (head.is_nothing()) return visitor_.nothing(type);
    if (head.low == additional::kTrue || head.low == additional::kFalse) {
      return visitor_.boolean(type, head.low == additional::kTrue);
    }
    visitor_.real(type, number(head, begin, type));
  }

  ByteView payload_;
  kitbag::Visitor& visitor_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::uint64_t tag_ = 0;
};

class Decoder final : public kitbag::Decoder {
 public:
  explicit Decoder(kitbag::TypePtr type) : type_(std::move(type)) {}

  void decode(ByteView payload, kitbag::Visitor& visitor) override {
    Walk walk(payload, visitor);
    walk.value(type_ ? *type_ : kitbag::builtin_type(Kind::any));
    walk.require_end();
  }

 private:
  kitbag::TypePtr type_;
};

}  // namespace

std::unique_ptr<kitbag::Decoder> make_decoder(const kitbag::TypePtr& type) {
  return std::make_unique<Decoder>(type);
}

}  // namespace cbor
