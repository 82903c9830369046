#include "kitbag/describe.h"

#include <fmt/format.h>

#include "value/scalars.h"

// What structs of a program (kitbag/describe.h) need beside the templates: the times, whose two
// numbers have other widths in each language, and members that are found in messages of any
// program. A field may have another name in ROS 2 than the struct says (baseLink, base_link); the
// name that it had is its alias, and is looked for too.

namespace kitbag::describing {

namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

void visit_integer(const Field& field, std::int64_t value, Visitor& visitor) {
  const Type& type = *field.type;
  bool is_signed = type.kind == Kind::int32 || type.kind == Kind::int64;
  bool is_wide = type.kind == Kind::int64 || type.kind == Kind::uint64;
  std::int64_t most = is_signed ? INT32_MAX : UINT32_MAX;
  std::int64_t least = is_signed ? INT32_MIN : 0;
  if ((!is_wide && (value < least || value > most)) || (!is_signed && value < 0)) {
    throw Error(ErrorCode::invalid,
                fmt::format("a time of {} s does not fit {}", value, type_name(type)));
  }
  visitor.field(field);
  if (is_signed) {
    visitor.integer(type, value);
  } else {
    visitor.unsigned_integer(type, static_cast<std::uint64_t>(value));
  }
}

}  // namespace

Value member_of(const Value& structure, std::string_view name) {
  if (auto index = index_of(structure, name)) return structure.at(*index);
  if (structure.is_structure()) {
    for (const Field& field : structure.type().fields) {
      if (field.alias.name == name) return structure.at(field.index);
    }
  }
  std::vector<PathStep> step = {{name}};
  throw no_such(structure, step, 1);
}

void visit_time(const Type& type, std::int64_t ns, Visitor& visitor) {
  if (type.role == Role::none || type.fields.size() != 2) {  // in an encoding without times
    return visitor.integer(type, ns);
  }
  // Rounded down, so that nanoseconds are not negative before 1970.
  std::int64_t seconds = ns / kNsPerSecond - (ns % kNsPerSecond < 0 ? 1 : 0);
  visitor.begin_struct(type);
  visit_integer(type.fields[0], seconds, visitor);
  visit_integer(type.fields[1], ns - seconds * kNsPerSecond, visitor);
  visitor.end_struct();
}

const Type& add_time(TypeBuilder& builder, Role role) {
  bool is_time = role == Role::time;
  Type& type = builder.add(Kind::structure,
                           is_time ? "builtin_interfaces/Time" : "builtin_interfaces/Duration");
  type.role = role;
  type.fields = {{.name = "sec", .type = &builtin_type(Kind::int32)},
                 {.name = "nanosec", .type = &builtin_type(Kind::uint32)}};
  return type;
}

}  // namespace kitbag::describing
