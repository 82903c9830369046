#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/protobuf_wire.h"
#include "kitbag/type.h"

namespace kitbag::protobuf {

/// How a value stands in a payload.
enum class Wire : std::uint8_t {
  varint,  ///< least significant seven bits first
  zigzag,  ///< a varint whose lowest bit is the sign
  fixed32,
  fixed64,
  text,     ///< sized: UTF-8
  bytes,    ///< sized: a list of bytes
  message,  ///< sized: fields again
  group,    ///< fields up to an end mark
};

/// A field of a message, with what has to be known to read and write it.
struct FieldPlan {
  const Field* field = nullptr;
  const Type* element = nullptr;  ///< of a list; else the field's type
  Wire wire = Wire::varint;
  bool is_repeated = false;  ///< not of bytes, which are one value
};

/// Throws Error (unsupported) for what protobuf does not have.
FieldPlan plan_of(const Field& field);

/// Of a value; those of lists are packed into one sized field.
constexpr WireType wire_type(Wire wire) {
  switch (wire) {
    case Wire::varint:
    case Wire::zigzag:
      return kVarint;
    case Wire::fixed32:
      return kFixed32;
    case Wire::fixed64:
      return kFixed64;
    case Wire::group:
      return kBeginGroup;
    default:
      return kSized;
  }
}

/// Lists of these come in one sized field.
constexpr bool is_packable(Wire wire) {
  return wire <= Wire::fixed64;
}

/// Returns whether values of the list are bytes of the payload, one after the other.
inline bool is_flat(const FieldPlan& plan) {
  std::size_t size = plan.wire == Wire::fixed32 ? 4 : plan.wire == Wire::fixed64 ? 8 : 0;
  return size > 0 && plan.element->flat_bytes == size;
}

/// Checks that `type` and all in it have a place in protobuf. Throws Error (unsupported).
void require_protobuf(const Type& type);

}  // namespace kitbag::protobuf
