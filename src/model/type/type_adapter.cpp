#include "model/type/type_adapter.h"

#include <fmt/format.h>

#include "kitbag/error.h"

// Two types of one world may get one name in another: a::b_C and a_b::C, or one title twice in a
// JSON schema. Definitions find types by name, so the second gets a number. A type is entered as
// null while it is made, by which one that contains itself is found.

namespace kitbag {

TypePtr TypeAdapter::adapt(const Type& type) {
  if (type.kind != Kind::structure) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{} does not support messages of type {}", world_, type_name(type)));
  }
  return builder_.finish(of(type));
}

const Type& TypeAdapter::of(const Type& type) {
  if (type.kind == Kind::structure) return structure(type);
  if (is_list(type.kind)) return list(type);
  if (type.kind == Kind::tagged_union) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{} does not support unions such as {}", world_, type.name));
  }
  if (type.kind == Kind::any) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{} does not support values without a type", world_));
  }
  return plain(type);
}

const Type& TypeAdapter::plain(const Type& type) {
  if (is_text(type.kind)) return builder_.text(type.kind, type.length);
  return builtin_type(type.kind == Kind::enumeration ? type.base : type.kind);
}

const Type& TypeAdapter::list(const Type& type) {
  const Type& element = of(*type.element);
  return type.kind == Kind::array ? builder_.array(element, type.length)
                                  : builder_.sequence(element, type.length);
}

const Type& TypeAdapter::structure(const Type& type) {
  auto [known, is_new] = made_.emplace(&type, nullptr);
  if (!is_new) {
    if (known->second) return *known->second;
    throw Error(ErrorCode::unsupported,
                fmt::format("{} does not support recursive types such as {}", world_, type.name));
  }
  const Type& made = type.role == Role::none ? message(type) : time(type.role);
  made_[&type] = &made;
  return made;
}

const Type& TypeAdapter::time(Role role) {
  const Type*& known = times_[role];
  if (!known) known = &make_time(role);
  return *known;
}

const Type& TypeAdapter::message(const Type& type) {
  std::string wanted = name_of(type.name);
  std::string name = wanted;
  if (!names_.insert(name).second) {
    std::size_t& number = numbers_.try_emplace(wanted, 1).first->second;
    do {
      name = fmt::format("{}{}", wanted, ++number);
    } while (!names_.insert(name).second);
  }
  std::vector<Field> fields = fields_of(type, name);
  Type& made = builder_.add(Kind::structure, std::move(name));
  made.fields = std::move(fields);
  made.constants = constants_of(type);
  return made;
}

std::vector<std::string> name_parts(std::string_view name) {
  std::vector<std::string> parts(1);
  for (char c : name) {
    bool is_part = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (c == '/' || c == '.' || c == ':') {
      if (!parts.back().empty()) parts.emplace_back();
    } else {
      parts.back() += is_part ? c : '_';
    }
  }
  if (parts.back().empty()) parts.back() = "Unknown";
  return parts;
}

bool is_interface_folder(std::string_view part) {
  return part == "msg" || part == "srv" || part == "action";
}

}  // namespace kitbag
