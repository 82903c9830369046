#include "codec/protobuf/wire.h"

#include <fmt/format.h>

#include <set>

#include "kitbag/error.h"

// What a type's kind does not say is how its numbers are written: int32, sint32 and sfixed32 are
// all the same kind, and have three encodings. The word of the .proto file decides, which the
// parser of descriptors keeps in Field::word. Fields that come from other worlds have no such word;
// they are varints and, if they are reals, of fixed size.
//
// Lists of bytes are `bytes`, one sized value, for fields of other worlds too: as `repeated uint32`
// each byte of an image from 128 on would take two.

namespace kitbag::protobuf {

namespace {

Wire wire_of(const Type& type, std::string_view word) {
  if (word == "sint32" || word == "sint64") return Wire::zigzag;
  if (word == "fixed32" || word == "sfixed32") return Wire::fixed32;
  if (word == "fixed64" || word == "sfixed64") return Wire::fixed64;
  if (word == "group") return Wire::group;
  if (type.kind == Kind::float32) return Wire::fixed32;
  if (type.kind == Kind::float64) return Wire::fixed64;
  if (is_scalar(type.kind)) return Wire::varint;
  if (is_text(type.kind)) return Wire::text;
  if (type.kind == Kind::structure) return Wire::message;
  bool is_bytes = is_list(type.kind) && is_byte(type.element->kind);
  if (is_bytes) return Wire::bytes;
  throw Error(ErrorCode::unsupported,
              fmt::format("protobuf does not support values of type {}", type_name(type)));
}

void require(const Type& type, std::set<const Type*>& seen) {
  if (!seen.insert(&type).second) return;
  for (const Field& field : type.fields) {
    FieldPlan plan = plan_of(field);
    if (plan.element->kind == Kind::structure) require(*plan.element, seen);
  }
}

}  // namespace

FieldPlan plan_of(const Field& field) {
  FieldPlan plan{&field, field.type};
  bool is_bytes = is_list(field.type->kind) && is_byte(field.type->element->kind);
  bool is_marked = field.word == "bytes" || field.word.empty() || field.word == "message";
  if (is_list(field.type->kind) && !(is_bytes && is_marked)) {
    plan.is_repeated = true;
    plan.element = field.type->element;
  }
  plan.wire = wire_of(*plan.element, field.word);
  return plan;
}

void require_protobuf(const Type& type) {
  if (type.kind != Kind::structure) {
    throw Error(ErrorCode::unsupported,
                fmt::format("protobuf does not support messages of type {}", type_name(type)));
  }
  std::set<const Type*> seen;
  require(type, seen);
}

}  // namespace kitbag::protobuf
