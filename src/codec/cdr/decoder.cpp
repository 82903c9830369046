#include "codec/cdr/decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "codec/cdr/encapsulation.h"
#include "codec/cdr/wide_text.h"
#include "kitbag/error.h"
#include "model/value_budget.h"

// Alignment is what CDR is about: each number begins at a multiple of its size (XCDR2: of 4 at the
// most), counted from behind the encapsulation header or from the beginning of a member that has a
// header of its own. A flat type whose first number lies right has no padding inside and goes to
// the visitor as it is.

namespace kitbag::cdr {

namespace {

/// Middlewares pad payloads to 4 or 8 bytes.
constexpr std::size_t kMostPadding = 7;

/// A member in a parameter list.
struct Member {
  std::uint32_t id;
  std::size_t begin;
  std::size_t end;
};

/// What the first number of a flat type is aligned to.
std::size_t first_alignment(const Type& type) {
  const Type* first = &type;
  while (!is_scalar(first->kind)) {
    first = first->kind == Kind::array ? first->element : first->fields.front().type;
  }
  return first->flat_alignment;
}

template <bool kSwap>
class Walk {
 public:
  Walk(ByteView payload, const Encapsulation& encapsulation, const Type& outermost,
       Visitor& visitor)
      : data_(payload.data()),
        end_(payload.size()),
        at_(Encapsulation::kBytes),
        origin_(at_),
        is_version_2_(encapsulation.is_version_2),
        most_alignment_(is_version_2_ ? 4 : 8),
        budget_(payload.size()),
        visitor_(visitor) {
    // Who writes a type plainly that could have been delimited writes all so.
    heeds_appendable_ = outermost.extensibility != Extensibility::appendable ||
                        encapsulation.is_delimited || encapsulation.is_list;
    heeds_ids_ = outermost.extensibility != Extensibility::by_id || encapsulation.is_list;
  }

  std::size_t left() const { return end_ - at_; }
  std::size_t position() const { return at_; }

  void value(const Type& type) {
    if (type.flat_bytes > 0 && flat(type)) return;
    switch (type.kind) {
      case Kind::structure:
      case Kind::tagged_union:
        return compound(type);
      case Kind::text:
        return text(type);
      case Kind::wide_text:
        return wide_text(type);
      case Kind::array:
        return list(type);
      case Kind::sequence:
        return list(type);
      default:
        scalar(type);
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::truncated, what, {}, at_);
  }

  void align(std::size_t to) {
    std::size_t past = (at_ - origin_) % std::min(to, most_alignment_);
    if (past > 0) take(std::min(to, most_alignment_) - past);
  }

  const std::byte* take(std::size_t bytes) {
    if (left() < bytes) {
      fail(fmt::format("{} bytes are missing from the payload", bytes - left()));
    }
    return data_ + std::exchange(at_, at_ + bytes);
  }

  template <class T>
  T number() {
    align(sizeof(T));
    std::array<std::byte, sizeof(T)> bytes;
    std::memcpy(bytes.data(), take(sizeof(T)), sizeof(T));
    if constexpr (kSwap) std::reverse(bytes.begin(), bytes.end());
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }

  /// False: padding may lie inside, or the order of the bytes is the other.
  bool flat(const Type& type) {
    if (kSwap || type.kind == Kind::array) return false;
    if (has_header(type)) return false;
    align(first_alignment(type));
    if (!is_aligned(type)) return false;
    visitor_.packed(type, {take(type.flat_bytes), type.flat_bytes});
    return true;
  }

  bool is_aligned(const Type& type) const {
    auto alignment = std::min<std::size_t>(type.flat_alignment, most_alignment_);
    return (at_ - origin_) % alignment == 0;
  }

  void scalar(const Type& type) {
    if (type.kind == Kind::enumeration) return enumerator(type);
    switch (type.kind) {
      case Kind::boolean:
        return visitor_.boolean(type, number<std::uint8_t>() != 0);
      case Kind::int8:
        return visitor_.integer(type, number<std::int8_t>());
      case Kind::int16:
        return visitor_.integer(type, number<std::int16_t>());
      case Kind::int32:
        return visitor_.integer(type, number<std::int32_t>());
      case Kind::int64:
        return visitor_.integer(type, number<std::int64_t>());
      case Kind::uint16:
      case Kind::wide_char:
        return visitor_.unsigned_integer(type, number<std::uint16_t>());
      case Kind::uint32:
        return visitor_.unsigned_integer(type, number<std::uint32_t>());
      case Kind::uint64:
        return visitor_.unsigned_integer(type, number<std::uint64_t>());
      case Kind::float32:
        return visitor_.real(type, static_cast<double>(number<float>()));
      case Kind::float64:
        return visitor_.real(type, number<double>());
      case Kind::uint8:
      case Kind::octet:
      case Kind::character:
        return visitor_.unsigned_integer(type, number<std::uint8_t>());
      default:
        throw Error(ErrorCode::unsupported,
                    fmt::format("CDR does not support values of type {}", type_name(type)));
    }
  }

  void enumerator(const Type& type) {
    std::int64_t value = read_label(type);
    auto is_it = [&](const Enumerator& one) { return one.value == value; };
    if (std::none_of(type.enumerators.begin(), type.enumerators.end(), is_it)) {
      throw Error(ErrorCode::corrupt,
                  fmt::format("{} is not a value of {}", value, type_name(type)), {}, at_);
    }
    visitor_.integer(type, value);
  }

  /// The length counts the NUL at the end, which some leave out.
  void text(const Type& type) {
    auto size = number<std::uint32_t>();
    std::string_view value = as_text({take(size), size});
    if (value.ends_with('\0')) value.remove_suffix(1);
    visitor_.text(type, value);
  }

  void wide_text(const Type& type) {
    auto count = number<std::uint32_t>();
    std::size_t unit = is_version_2_ ? 1 : wide_unit({data_ + at_, left()}, count, kSwap);
    if (count > left() / unit) fail("a wide string is longer than the payload");
    std::size_t bytes = std::size_t{count} * unit;
    visitor_.text(type, utf8_of({take(bytes), bytes}, unit == 4 ? 4 : 2, kSwap));
  }

  bool is_delimited(const Type& type) const {
    if (!is_version_2_) return false;
    return (type.extensibility == Extensibility::appendable && heeds_appendable_) ||
           (type.extensibility == Extensibility::by_id && heeds_ids_);
  }
  bool has_members(const Type& type) const {
    return type.extensibility == Extensibility::by_id && heeds_ids_;
  }
  bool has_header(const Type& type) const {
    return is_compound(type.kind) && (is_delimited(type) || has_members(type));
  }

  /// Until where a u32 says that what follows reaches.
  std::size_t delimiter() {
    auto size = number<std::uint32_t>();
    if (size > left()) fail(fmt::format("{} bytes are missing from the payload", size - left()));
    return at_ + size;
  }

  void list(const Type& type) {
    const Type& element = *type.element;
    std::optional<std::size_t> behind;
    if (is_version_2_ && !(is_scalar(element.kind) && element.kind != Kind::enumeration)) {
      behind = std::exchange(end_, delimiter());
    }
    std::uint64_t count = type.kind == Kind::array ? type.length : number<std::uint32_t>();
    auto least = std::max<std::uint64_t>(1, has_header(element) ? 1 : element.least_bytes);
    if (count > left() / least) {
      fail(fmt::format("{} elements of {} do not fit into the remaining {} bytes", count,
                       type_name(element), left()));
    }
    if (element.least_bytes == 0) budget_.charge(count);
    visitor_.begin_array(type, count);
    if (count > 0 && !packed_elements(element, count)) {
      for (std::uint64_t i = 0; i < count; ++i) value(element);
    }
    visitor_.end_array();
    if (behind) {
      at_ = end_;
      end_ = *behind;
    }
  }

  bool packed_elements(const Type& element, std::uint64_t count) {
    if (element.flat_bytes == 0 || has_header(element)) return false;
    align(first_alignment(element));
    if (!is_aligned(element) || count > left() / element.flat_bytes) return false;
    if (!kSwap || element.flat_bytes == 1) {
      visitor_.packed(element, {take(count * element.flat_bytes), count * element.flat_bytes});
      return true;
    }
    if (!is_scalar(element.kind)) return false;
    const std::byte* from = take(count * element.flat_bytes);
    swapped_.assign(from, from + count * element.flat_bytes);
    for (auto at = swapped_.begin(); at != swapped_.end(); at += element.flat_bytes) {
      std::reverse(at, at + element.flat_bytes);
    }
    visitor_.packed(element, swapped_);
    return true;
  }

  void compound(const Type& type) {
    if (++depth_ > 2 * kMaxTypeDepth) fail("the values are nested too deep");
    if (type.least_bytes == 0) budget_.charge(1);
    std::optional<std::size_t> behind;
    if (is_delimited(type)) behind = std::exchange(end_, delimiter());
    visitor_.begin_struct(type);
    if (has_members(type)) {
      members(type);
    } else if (type.kind == Kind::tagged_union) {
      choice(type);
    } else {
      fields(type, behind.has_value());
    }
    visitor_.end_struct();
    if (behind) {
      at_ = end_;
      end_ = *behind;
    }
    --depth_;
  }

  void fields(const Type& type, bool may_end) {
    if (type.fields.empty() && !may_end) take(1);  // ROS 2 gives a message without fields a byte
    for (const Field& field : type.fields) {
      visitor_.field(field);
      if (may_end && left() == 0) {  // written by an older version of the type
        absent(field);
      } else if (field.is_optional) {
        optional(field);
      } else {
        value(*field.type);
      }
    }
  }

  void absent(const Field& field) {
    budget_.charge(field.type->default_values);
    visit_default(field, visitor_);
  }

  void optional(const Field& field) {
    if (is_version_2_) {
      if (number<std::uint8_t>() == 0) return visitor_.nothing(*field.type);
      return value(*field.type);
    }
    auto member = parameter();
    if (!member || member->begin == member->end) return visitor_.nothing(*field.type);
    within(*member, [&] { value(*field.type); });
    at_ = member->end;
  }

  /// Which branch of a union is there, by what its discriminator says.
  void choice(const Type& type) {
    visitor_.field(type.fields[0]);
    std::size_t before = at_;
    value(*type.fields[0].type);
    std::size_t behind = std::exchange(at_, before);
    std::int64_t label = read_label(*type.fields[0].type);
    at_ = behind;
    const Field* field = find_branch(type, label);
    if (!field) return;
    visitor_.field(*field);
    value(*field->type);
  }

  std::int64_t read_label(const Type& type) {
    switch (type.kind == Kind::enumeration ? type.base : type.kind) {
      case Kind::int8:
        return number<std::int8_t>();
      case Kind::int16:
        return number<std::int16_t>();
      case Kind::uint16:
      case Kind::wide_char:
        return number<std::uint16_t>();
      case Kind::int32:
        return number<std::int32_t>();
      case Kind::uint32:
        return number<std::uint32_t>();
      case Kind::int64:
      case Kind::uint64:
        return number<std::int64_t>();
      default:
        return number<std::uint8_t>();
    }
  }

  /// A parameter of XCDR1; nothing at the end of their list.
  std::optional<Member> parameter() {
    align(4);
    auto head = number<std::uint16_t>();
    std::uint32_t size = number<std::uint16_t>();
    std::uint32_t id = head & kIdMask;
    if (id == kSentinelId) return std::nullopt;
    if (id == kExtendedId) {
      id = number<std::uint32_t>();
      size = number<std::uint32_t>();
    }
    if (size > left()) fail(fmt::format("{} bytes are missing from the payload", size - left()));
    return Member{id, at_, at_ + size};
  }

  /// A member of XCDR2 (XTypes 1.3, 7.4.3.4.2).
  Member member() {
    auto head = number<std::uint32_t>();
    std::uint32_t code = (head >> 28) & 7;
    std::uint64_t size = std::uint64_t{1} << code;
    if (code >= 4) {
      std::size_t before = at_;
      size = number<std::uint32_t>();
      if (code == 6) size *= 4;
      if (code == 7) size *= 8;
      if (code >= 5) {  // the length is the value's own first number too
        size += sizeof(std::uint32_t);
        at_ = before;
        align(4);
      }
    }
    if (size > left()) fail(fmt::format("{} bytes are missing from the payload", size - left()));
    return {head & 0x0fffffff, at_, at_ + static_cast<std::size_t>(size)};
  }

  template <class Read>
  void within(const Member& member, Read read) {
    std::size_t end = std::exchange(end_, member.end);
    std::size_t origin = origin_;
    at_ = member.begin;
    if (!is_version_2_) origin_ = at_;
    read();
    origin_ = origin;
    end_ = end;
  }

  /// Members come in any order; they are told in that of the type.
  void members(const Type& type) {
    std::vector<Member> found;
    if (is_version_2_) {
      while (left() >= sizeof(std::uint32_t)) {
        found.push_back(member());
        at_ = found.back().end;
      }
    } else {
      while (auto next = parameter()) {
        found.push_back(*next);
        at_ = next->end;
      }
    }
    std::size_t behind = at_;
    auto by_id = [](const Member& one, const Member& other) { return one.id < other.id; };
    if (!std::is_sorted(found.begin(), found.end(), by_id)) {
      std::stable_sort(found.begin(), found.end(), by_id);
    }
    auto with_id = [&](std::uint32_t id) {
      auto place = std::lower_bound(found.begin(), found.end(), Member{id, 0, 0}, by_id);
      return place != found.end() && place->id == id ? place : found.end();
    };
    bool is_union = type.kind == Kind::tagged_union;
    const Field* branch = is_union ? find_branch(type, 0) : nullptr;
    for (const Field& field : type.fields) {
      if (is_union && field.index > 0 && &field != branch) continue;
      visitor_.field(field);
      auto place = with_id(field.id);
      if (place == found.end() || place->begin == place->end) {
        absent(field);
        continue;
      }
      if (is_union && field.index == 0) {
        within(*place, [&] { branch = find_branch(type, read_label(*field.type)); });
      }
      within(*place, [&] { value(*field.type); });
    }
    at_ = behind;
  }

  const std::byte* data_;
  std::size_t end_;
  std::size_t at_;
  std::size_t origin_;
  bool is_version_2_;
  std::size_t most_alignment_;
  bool heeds_appendable_ = true;
  bool heeds_ids_ = true;
  std::size_t depth_ = 0;
  std::vector<std::byte> swapped_;
  ValueBudget budget_;
  Visitor& visitor_;
};

template <bool kSwap>
void decode_as(ByteView payload, const Encapsulation& encapsulation, const Type& type,
               Visitor& visitor) {
  Walk<kSwap> walk(payload, encapsulation, type, visitor);
  walk.value(type);
  if (walk.left() > kMostPadding) {
    throw Error(ErrorCode::corrupt, fmt::format("{} bytes remain after the message", walk.left()),
                {}, walk.position());
  }
}

}  // namespace

void Decoder::decode(ByteView payload, Visitor& visitor) {
  Encapsulation encapsulation = parse_encapsulation(payload);
  if (encapsulation.is_big_endian) {
    decode_as<true>(payload, encapsulation, *type_, visitor);
  } else {
    decode_as<false>(payload, encapsulation, *type_, visitor);
  }
}

}  // namespace kitbag::cdr
