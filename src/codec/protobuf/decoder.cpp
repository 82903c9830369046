#include "codec/protobuf/decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/little_endian.h"
#include "base/protobuf_wire.h"
#include "kitbag/error.h"
#include "model/type/value_budget.h"

// Fields may come in any order, but visitors receive them in the order of the type: a first pass
// over a message notes where each of its fields is, a second one passes them on. The first pass
// skips nested messages by their size, so each byte is looked at about twice in all.
//
// Lists of numbers come packed into one sized field, or as a field for each number, or as both in
// turn. A reader has to take all of these, whatever the .proto file says, and they are one list. A
// field whose wire type does not belong to the definition is skipped like an unknown one.

namespace kitbag::protobuf {

namespace {

/// A field of a message as it stands in the payload.
struct Found {
  const FieldPlan* plan;
  WireType type;
  const std::byte* begin;  ///< of its content
  const std::byte* end;
};

class Walk {
 public:
  Walk(const std::map<const Type*, MessagePlan>& plans, ByteView payload, Visitor& visitor)
      : plans_(plans), begin_(payload.data()), budget_(payload.size()), visitor_(visitor) {}

  void message(const Type& type, const std::byte* at, const std::byte* end);

 private:
  [[noreturn]] void fail(const std::byte* at, const std::string& what,
                         ErrorCode code = ErrorCode::truncated) const {
    throw Error(code, what, {}, static_cast<std::uint64_t>(at - begin_));
  }

  std::uint64_t varint(const std::byte*& at, const std::byte* end) const {
    const std::byte* begin = at;
    std::uint64_t value = 0;
    if (load_varint(at, end, value)) return value;
    if (at - begin < 10) fail(at, "the payload ends within a number");
    fail(at, "a number has more than ten bytes", ErrorCode::corrupt);
  }

  ByteView sized(const std::byte*& at, const std::byte* end) const {
    std::uint64_t size = varint(at, end);
    if (size > static_cast<std::uint64_t>(end - at)) {
      fail(at, fmt::format("{} bytes are missing from the payload",
                           size - static_cast<std::uint64_t>(end - at)));
    }
    const std::byte* begin = at;
    at += size;
    return {begin, at};
  }

  void skip(const std::byte*& at, const std::byte* end, std::uint64_t tag, std::size_t depth);
  void find(const MessagePlan& plan, const std::byte* at, const std::byte* end,
            std::vector<Found>& found);
  void field(const FieldPlan& plan, const Found* first, const Found* last);
  void list(const FieldPlan& plan, const Found* first, const Found* last);
  void value(const FieldPlan& plan, const Type& type, const Found& found);
  void scalar(const FieldPlan& plan, const Type& type, const std::byte*& at, const std::byte* end);
  void number(const FieldPlan& plan, const Type& type, std::uint64_t value);
  void text(const Type& type, const Found& found);
  void bytes(const Type& type, const Found& found);
  std::uint64_t count_packed(const FieldPlan& plan, const Found& found) const;

  const std::map<const Type*, MessagePlan>& plans_;
  const std::byte* begin_;
  ValueBudget budget_;
  Visitor& visitor_;
  std::size_t depth_ = 0;
};

/// Behind the content of a field of which only the tag has been read.
void Walk::skip(const std::byte*& at, const std::byte* end, std::uint64_t tag, std::size_t depth) {
  auto pass = [&](std::ptrdiff_t bytes) {
    if (end - at < bytes) fail(at, "the payload ends within a number");
    at += bytes;
  };
  switch (tag & 7) {
    case kVarint:
      varint(at, end);
      return;
    case kFixed64:
      return pass(8);
    case kFixed32:
      return pass(4);
    case kSized:
      sized(at, end);
      return;
    case kBeginGroup: {
      if (depth > kMaxDepth) fail(at, "groups are nested too deep", ErrorCode::corrupt);
      for (;;) {
        std::uint64_t inner = varint(at, end);
        if ((inner & 7) == kEndGroup) {
          if (inner >> 3 != tag >> 3) {
            fail(at, "a group begins and ends with different field numbers", ErrorCode::corrupt);
          }
          return;
        }
        skip(at, end, inner, depth + 1);
      }
    }
    default:
      fail(at, fmt::format("{} is not a valid wire type", tag & 7), ErrorCode::corrupt);
  }
}

void Walk::find(const MessagePlan& plan, const std::byte* at, const std::byte* end,
                std::vector<Found>& found) {
  while (at < end) {
    std::uint64_t tag = varint(at, end);
    std::uint64_t number = tag >> 3;
    if (number == 0 || number > UINT32_MAX >> 3) {
      fail(at, fmt::format("{} is not a valid field number", number), ErrorCode::corrupt);
    }
    const std::byte* begin = at;
    skip(at, end, tag, 0);
    const FieldPlan* known = plan.find(static_cast<std::uint32_t>(number));
    if (!known) continue;
    auto type = static_cast<WireType>(tag & 7);
    bool is_packed = known->is_repeated && type == kSized && is_packable(known->wire);
    if (type != wire_type(known->wire) && !is_packed) continue;  // as protobuf's own readers do
    const std::byte* last = at;
    if (type == kSized) varint(begin, end);
    // The tag of the end is a number of some bytes. Its last byte has no high bit, and those before
    // it do.
    if (type == kBeginGroup) {  // without the tag of its end
      do {
        --last;
      } while (last > begin && (std::to_integer<unsigned>(last[-1]) & 0x80) != 0);
    }
    found.push_back({known, type, begin, last});
  }
}

void Walk::message(const Type& type, const std::byte* at, const std::byte* end) {
  if (++depth_ > kMaxDepth) fail(at, "messages are nested too deep", ErrorCode::corrupt);
  const MessagePlan& plan = plans_.at(&type);
  budget_.charge(plan.fields.size());  // all are visited, even absent ones
  std::vector<Found> found;
  found.reserve(plan.fields.size());
  find(plan, at, end, found);
  auto earlier = [](const Found& a, const Found& b) { return a.plan < b.plan; };
  // Writers nearly always keep the order. Stable: of several values of a field, the last one
  // counts.
  if (!std::is_sorted(found.begin(), found.end(), earlier)) {
    std::stable_sort(found.begin(), found.end(), earlier);
  }
  visitor_.begin_struct(type);
  const Found* next = found.data();
  const Found* last = next + found.size();
  for (const FieldPlan& each : plan.fields) {
    const Found* first = next;
    while (next < last && next->plan == &each) ++next;
    visitor_.field(*each.field);
    field(each, first, next);
  }
  visitor_.end_struct();
  --depth_;
}

void Walk::field(const FieldPlan& plan, const Found* first, const Found* last) {
  if (plan.is_repeated) return list(plan, first, last);
  if (first == last) {
    bool is_array = plan.wire == Wire::bytes && plan.field->type->kind == Kind::array;
    // Its default would be an array without elements, which is none of its values.
    if (is_array) fail(begin_, fmt::format("{} is missing", type_name(*plan.field->type)));
    return visit_default(*plan.field, visitor_);
  }
  // Messages that come in pieces are one; of others the last counts.
  bool is_message = plan.wire == Wire::message && last - first > 1;
  if (!is_message) return value(plan, *plan.element, last[-1]);
  // The bytes of the pieces, one behind the other, are a payload whose meaning is the merged
  // message: lists go on, and later values replace earlier ones.
  std::vector<std::byte> joined;
  for (const Found* piece = first; piece < last; ++piece) {
    joined.insert(joined.end(), piece->begin, piece->end);
  }
  const std::byte* before = std::exchange(begin_, joined.data());
  message(*plan.element, joined.data(), joined.data() + joined.size());
  begin_ = before;
}

std::uint64_t Walk::count_packed(const FieldPlan& plan, const Found& found) const {
  auto size = static_cast<std::uint64_t>(found.end - found.begin);
  if (plan.wire == Wire::fixed32 || plan.wire == Wire::fixed64) {
    std::uint64_t each = plan.wire == Wire::fixed32 ? 4 : 8;
    if (size % each != 0) fail(found.begin, "a list ends within a number", ErrorCode::corrupt);
    return size / each;
  }
  // Each ends with its only byte below 0x80.
  return static_cast<std::uint64_t>(std::count_if(
      found.begin, found.end, [](std::byte b) { return std::to_integer<unsigned>(b) < 0x80; }));
}

void Walk::list(const FieldPlan& plan, const Found* first, const Found* last) {
  const Type& type = *plan.field->type;
  std::uint64_t count = 0;
  for (const Found* each = first; each < last; ++each) {
    bool is_packed = each->type == kSized && is_packable(plan.wire);
    count += is_packed ? count_packed(plan, *each) : 1;
  }
  if (type.kind == Kind::array && count != type.length) {
    fail(begin_, fmt::format("expected {1}, got {0} elements", count, type_name(type)),
         ErrorCode::corrupt);
  }
  visitor_.begin_array(type, count);
  for (const Found* each = first; each < last; ++each) {
    bool is_packed = each->type == kSized && is_packable(plan.wire);
    if (!is_packed) {
      value(plan, *plan.element, *each);
    } else if (is_flat(plan)) {
      visitor_.packed(*plan.element, {each->begin, each->end});
    } else {
      for (const std::byte* at = each->begin; at < each->end;) {
        scalar(plan, *plan.element, at, each->end);
      }
    }
  }
  visitor_.end_array();
}

void Walk::value(const FieldPlan& plan, const Type& type, const Found& found) {
  switch (plan.wire) {
    case Wire::message:
    case Wire::group:
      return message(type, found.begin, found.end);
    case Wire::text:
      return text(type, found);
    case Wire::bytes:
      return bytes(type, found);
    default: {
      const std::byte* at = found.begin;
      scalar(plan, type, at, found.end);
    }
  }
}

void Walk::text(const Type& type, const Found& found) {
  visitor_.text(type, as_text({found.begin, found.end}));
}

void Walk::bytes(const Type& type, const Found& found) {
  auto count = static_cast<std::size_t>(found.end - found.begin);
  if (type.kind == Kind::array && count != type.length) {
    fail(found.begin, fmt::format("expected {1}, got {0} bytes", count, type_name(type)),
         ErrorCode::corrupt);
  }
  visitor_.begin_array(type, count);
  visitor_.packed(*type.element, {found.begin, found.end});
  visitor_.end_array();
}

void Walk::scalar(const FieldPlan& plan, const Type& type, const std::byte*& at,
                  const std::byte* end) {
  if (plan.wire == Wire::varint || plan.wire == Wire::zigzag) {
    return number(plan, type, varint(at, end));
  }
  std::ptrdiff_t size = plan.wire == Wire::fixed32 ? 4 : 8;
  if (end - at < size) fail(at, "the payload ends within a number");
  const std::byte* from = std::exchange(at, at + size);
  if (is_flat(plan)) return visitor_.packed(type, {from, at});
  number(plan, type, size == 4 ? load_le<std::uint32_t>(from) : load_le<std::uint64_t>(from));
}

void Walk::number(const FieldPlan& plan, const Type& type, std::uint64_t value) {
  if (plan.wire == Wire::zigzag) value = (value >> 1) ^ (~(value & 1) + 1);
  auto number = static_cast<std::int64_t>(value);
  auto require = [&](bool fits) {
    if (!fits) {
      throw Error(ErrorCode::corrupt,
                  fmt::format("{} does not fit into {}", number, type_name(type)));
    }
  };
  switch (type.kind) {
    case Kind::boolean:
      return visitor_.boolean(type, value != 0);
    // The low 32 bits, as protobuf's own readers take them.
    case Kind::enumeration:
    case Kind::int32:
      return visitor_.integer(type, static_cast<std::int32_t>(value));
    case Kind::int64:
      return visitor_.integer(type, number);
    case Kind::int8:
      require(number >= INT8_MIN && number <= INT8_MAX);
      return visitor_.integer(type, number);
    case Kind::int16:
      require(number >= INT16_MIN && number <= INT16_MAX);
      return visitor_.integer(type, number);
    case Kind::uint32:
      return visitor_.unsigned_integer(type, static_cast<std::uint32_t>(value));
    case Kind::uint64:
      return visitor_.unsigned_integer(type, value);
    case Kind::uint16:
    case Kind::wide_char:
      require(value <= UINT16_MAX);
      return visitor_.unsigned_integer(type, value);
    default:
      require(value <= UINT8_MAX);
      return visitor_.unsigned_integer(type, value);
  }
}

}  // namespace

const FieldPlan* MessagePlan::find(std::uint32_t number) const {
  std::uint32_t index = numbers.find(number);
  return index == FieldNumbers::kNone ? nullptr : &fields[index];
}

Decoder::Decoder(TypePtr type) : type_(std::move(type)) {
  require_protobuf(*type_);
  add(*type_);
}

const MessagePlan& Decoder::add(const Type& type) {
  auto [known, is_new] = plans_.try_emplace(&type);
  MessagePlan& plan = known->second;
  if (!is_new) return plan;
  plan.fields.reserve(type.fields.size());
  for (const Field& field : type.fields) {
    plan.numbers.set(field.id, static_cast<std::uint32_t>(plan.fields.size()));
    plan.fields.push_back(plan_of(field));
    if (plan.fields.back().element->kind == Kind::structure) add(*plan.fields.back().element);
  }
  return plan;
}

void Decoder::decode(ByteView payload, Visitor& visitor) {
  Walk(plans_, payload, visitor).message(*type_, payload.data(), payload.data() + payload.size());
}

}  // namespace kitbag::protobuf
