#include "codec/ros1/decoder.h"

#include <fmt/format.h>

#include <cstring>

#include "base/little_endian.h"
#include "kitbag/error.h"
#include "model/type/value_budget.h"

// ROS 1's payloads are fields in the order of the definition and nothing else: little-endian,
// without alignment, padding, header or version. A text or a list without fixed length begins with
// a count of four bytes; arrays of fixed length have none. So a type whose fields have all a fixed
// size is a copy of its bytes, and is passed to the visitor in one call: this is what most of a
// point cloud or of an image costs.
//
// Only the size tells that a payload does not belong to its definition. So it must be used up to
// its last byte; unlike CDR, there is nothing that could be padding.
//
// Types cannot contain themselves and are not nested deeper than require_plain() allows, so value()
// does not count its depth. A count is compared with the bytes that are left; elements that take no
// bytes (std_msgs/Empty) are charged to a budget.

namespace kitbag::ros1 {

namespace {

void require_plain(const Type& type, std::size_t depth) {
  auto refuse = [&](std::string_view what) {
    throw Error(ErrorCode::unsupported,
                fmt::format("ROS 1 does not support {}: {}", what, type_name(type)));
  };
  if (depth > 2 * kMaxTypeDepth) refuse("recursive types");
  if (type.kind == Kind::tagged_union) refuse("unions");
  if (type.kind == Kind::any) refuse("values without a type");
  if (type.element) require_plain(*type.element, depth + 1);
  for (const Field& field : type.fields) {
    if (field.is_optional) refuse("optional fields");
    require_plain(*field.type, depth + 1);
  }
}

class Walk {
 public:
  Walk(ByteView payload, Visitor& visitor)
      : begin_(payload.data()),
        at_(begin_),
        end_(begin_ + payload.size()),
        budget_(payload.size()),
        visitor_(visitor) {}

  void value(const Type& type) {
    if (type.flat_bytes > 0) return flat(type);
    switch (type.kind) {
      case Kind::structure:
        if (type.least_bytes == 0) budget_.charge(1);
        visitor_.begin_struct(type);
        for (const Field& field : type.fields) {
          visitor_.field(field);
          value(*field.type);
        }
        return visitor_.end_struct();
      case Kind::text:
      case Kind::wide_text:
        return visitor_.text(type, as_text(take(count())));
      case Kind::array:
        return list(type, type.length);
      case Kind::sequence:
        return list(type, count());
      default:
        throw Error(ErrorCode::unsupported, "ROS 1 does not support this type");
    }
  }

  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  std::uint64_t position() const { return static_cast<std::uint64_t>(at_ - begin_); }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::truncated, what, {}, position());
  }

  ByteView take(std::size_t bytes) {
    if (left() < bytes) {
      fail(fmt::format("{} bytes are missing from the payload", bytes - left()));
    }
    return {std::exchange(at_, at_ + bytes), bytes};
  }

  std::uint32_t count() { return load_le<std::uint32_t>(take(sizeof(std::uint32_t)).data()); }

  void flat(const Type& type) {
    ByteView bytes = take(type.flat_bytes);
    if (type.kind != Kind::array) return visitor_.packed(type, bytes);
    visitor_.begin_array(type, type.length);
    visitor_.packed(*type.element, bytes);
    visitor_.end_array();
  }

  void list(const Type& type, std::uint64_t count) {
    const Type& element = *type.element;
    if (element.least_bytes > 0 && count > left() / element.least_bytes) {
      fail(fmt::format("{} elements of {} do not fit into the remaining {} bytes", count,
                       type_name(element), left()));
    }
    if (element.least_bytes == 0) budget_.charge(count);
    visitor_.begin_array(type, count);
    if (element.flat_bytes > 0) {
      visitor_.packed(element, take(count * element.flat_bytes));
    } else {
      for (std::uint64_t i = 0; i < count; ++i) value(element);
    }
    visitor_.end_array();
  }

  const std::byte* begin_;
  const std::byte* at_;
  const std::byte* end_;
  ValueBudget budget_;
  Visitor& visitor_;
};

}  // namespace

void require_ros1(const Type& type) {
  require_plain(type, 0);
}

Decoder::Decoder(TypePtr type) : type_(std::move(type)) {
  require_ros1(*type_);
}

void Decoder::decode(ByteView payload, Visitor& visitor) {
  Walk walk(payload, visitor);
  walk.value(*type_);
  if (walk.left() > 0) {
    throw Error(ErrorCode::corrupt, fmt::format("{} bytes remain after the message", walk.left()),
                {}, walk.position());
  }
}

}  // namespace kitbag::ros1
