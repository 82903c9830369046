#include "language/ros1msg/types.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kitbag/error.h"
#include "language/ros/definition_text.h"
#include "model/type/type_adapter.h"

// A definition that contains itself is found by its entry in `types_`, which is null while the
// definition is being made. ROS 1 has no such types: nothing in a payload could end them.
//
// A name of another world has to be one of ROS 1, and to come back the same. Words and names that
// ROS 1 has and others have not (byte, camel case) are kept there as an alias, so adapting back
// takes the alias first. `seq`, which only ROS 1 has, is put into a header again if it consists of
// a stamp and a text and nothing else. A type that was called std_msgs/Header and has other fields
// is no header.

namespace kitbag::ros1msg {

namespace {

constexpr const char* kHeader = "std_msgs/Header";

const Type& add_time(TypeBuilder& builder, Role role) {
  bool is_time = role == Role::time;
  Type& type = builder.add(Kind::structure, is_time ? "time" : "duration");
  type.role = role;
  const Type& part = builtin_type(is_time ? Kind::uint32 : Kind::int32);
  type.fields = {{.name = "sec", .type = &part}, {.name = "nsec", .type = &part}};
  return type;
}

bool is_header(std::string_view name) {
  return name == kHeader || name == "roslib/Header";
}

/// Other names of int8 and uint8, which make a difference in an MD5 sum.
bool is_primitive_alias(std::string_view word) {
  return word == "byte" || word == "char";
}

class Types {
 public:
  explicit Types(const Definitions& definitions)
      : definitions_(definitions), names_(by_name(definitions)) {}

  TypePtr root() { return builder_.finish(of(definitions_.front())); }

 private:
  const Type& of(const Definition& definition) {
    auto [known, is_new] = types_.emplace(&definition, nullptr);
    if (!is_new) {
      if (known->second) return *known->second;
      throw Error(ErrorCode::corrupt, fmt::format("{} contains itself", definition.name));
    }
    if (++nesting_ > kMaxNesting) {
      throw Error(ErrorCode::corrupt, fmt::format("{} is nested more than {} levels deep",
                                                  definition.name, kMaxNesting));
    }
    std::vector<kitbag::Field> fields;
    fields.reserve(definition.fields.size());
    for (const Field& field : definition.fields) {
      kitbag::Field made;
      made.name = field.name;
      made.type = &list_of(field, element_of(field, definition));
      made.is_sequence = field.name == "seq" && is_header(definition.name);
      if (is_primitive_alias(field.type)) made.word = field.type;
      fields.push_back(std::move(made));
    }
    Type& type = builder_.add(Kind::structure, definition.name);
    type.fields = std::move(fields);
    for (const Constant& constant : definition.constants) {
      type.constants.push_back(
          {kind_of(constant.type).value_or(Kind::text), constant.name, constant.value});
      if (is_primitive_alias(constant.type)) type.constants.back().word = constant.type;
    }
    types_[&definition] = &type;
    --nesting_;
    return type;
  }

  const Type& element_of(const Field& field, const Definition& user) {
    if (auto kind = kind_of(field.type)) return builtin_type(*kind);
    if (field.type == "time") return time(Role::time);
    if (field.type == "duration") return time(Role::duration);
    if (const Definition* nested = find(names_, field, user)) return of(*nested);
    throw Error(ErrorCode::not_found, fmt::format("the definition of {} needs {}, which is missing",
                                                  user.name, field.type));
  }

  const Type& list_of(const Field& field, const Type& element) {
    if (field.array == Array::none) return element;
    if (field.array == Array::fixed) return builder_.array(element, field.length);
    return builder_.sequence(element);
  }

  const Type& time(Role role) {
    const Type*& known = times_[role];
    if (!known) known = &add_time(builder_, role);
    return *known;
  }

  const Definitions& definitions_;
  Names names_;
  TypeBuilder builder_;
  std::map<const Definition*, const Type*> types_;
  std::map<Role, const Type*> times_;
  std::size_t nesting_ = 0;
};

class Adapter final : public TypeAdapter {
 public:
  Adapter() : TypeAdapter("ROS 1") {}

 private:
  /// Bytes are numbers, and texts have no bounds here.
  const Type& plain(const Type& type) override {
    if (is_text(type.kind)) return builtin_type(Kind::text);
    if (type.kind == Kind::octet || type.kind == Kind::character) return builtin_type(Kind::uint8);
    if (type.kind == Kind::wide_char) return builtin_type(Kind::uint16);
    return TypeAdapter::plain(type);
  }

  /// Lists have no bounds here.
  const Type& list(const Type& type) override {
    const Type& element = of(*type.element);
    return type.kind == Kind::array ? builder().array(element, type.length)
                                    : builder().sequence(element);
  }

  const Type& make_time(Role role) override { return add_time(builder(), role); }

  /// "std_msgs/msg/String", "foxglove.Log" and "a::b::C" as "std_msgs/String", "foxglove/Log",
  /// "a/b_C".
  std::string name_of(const std::string& name) const override {
    auto parts = name_parts(name);
    std::string own = parts.back();
    for (std::size_t i = parts.size() - 1; i-- > 1;) {
      if (!is_interface_folder(parts[i])) own = parts[i] + "_" + own;
    }
    return (parts.size() > 1 ? parts.front() : "unknown") + "/" + own;
  }

  std::vector<kitbag::Field> fields_of(const Type& type, const std::string& name) override {
    std::vector<kitbag::Field> fields;
    bool has_counter = std::any_of(type.fields.begin(), type.fields.end(),
                                   [](const kitbag::Field& field) { return field.is_sequence; });
    if (name == kHeader && !has_counter && is_plain_header(type)) {
      fields.push_back({.name = "seq", .type = &builtin_type(Kind::uint32), .is_sequence = true});
    }
    for (const kitbag::Field& field : type.fields) {
      kitbag::Field made;
      made.name = field.alias.name.empty() ? field.name : field.alias.name;
      if (!field.alias.name.empty()) made.alias.name = field.name;
      made.type = &of(*field.type);
      made.word = adapted_word(field, *made.type);
      made.is_sequence = field.is_sequence;
      fields.push_back(std::move(made));
    }
    return fields;
  }

  std::vector<kitbag::Constant> constants_of(const Type& type) const override {
    std::vector<kitbag::Constant> constants = type.constants;
    for (kitbag::Constant& each : constants) {
      if (each.kind == Kind::wide_text) each.kind = Kind::text;
      if (each.kind == Kind::octet || each.kind == Kind::character) each.kind = Kind::uint8;
      each.word = adapted_word(each, builtin_type(each.kind));
      if (!each.alias.name.empty()) each.name = each.alias.name;
      each.alias = {};
    }
    return constants;
  }

  /// "byte" or "char", if that is what it was and still means.
  template <class Named>
  static std::string adapted_word(const Named& named, const Type& type) {
    const std::string& word = named.alias.word.empty() ? named.word : named.alias.word;
    const Type& element = is_list(type.kind) ? *type.element : type;
    bool is_right = (word == "byte" && element.kind == Kind::int8) ||
                    (word == "char" && element.kind == Kind::uint8);
    return is_right ? word : std::string();
  }

  static bool is_plain_header(const Type& type) {
    return type.fields.size() == 2 && type.fields[0].type->role == Role::time &&
           is_text(type.fields[1].type->kind);
  }
};

std::string word_of(const kitbag::Field& field) {
  const Type* element = field.type;
  std::string brackets;
  if (is_list(element->kind)) {
    brackets = element->kind == Kind::array ? fmt::format("[{}]", element->length) : "[]";
    element = element->element;
  }
  if (is_list(element->kind)) {
    throw Error(ErrorCode::unsupported,
                fmt::format("ROS 1 does not support lists of lists: {}", type_name(*field.type)));
  }
  std::string name = field.word.empty() ? type_name(*element) : field.word;
  if (name == kHeader && brackets.empty()) name = "Header";
  return name + brackets;
}

/// The text of one message alone.
std::string body_of(const Type& type) {
  std::string text;
  for (const kitbag::Constant& constant : type.constants) {
    std::string_view kind = kind_name(constant.kind);
    text += fmt::format("{} {}={}\n", constant.word.empty() ? kind : constant.word, constant.name,
                        constant.text);
  }
  for (const kitbag::Field& field : type.fields) {
    text += fmt::format("{} {}\n", word_of(field), field.name);
  }
  return text;
}

}  // namespace

TypePtr type_of(const Definitions& definitions) {
  return Types(definitions).root();
}

TypePtr adapt(const Type& type) {
  if (type.role != Role::none) {  // types of fields only, in ROS 1
    throw Error(ErrorCode::unsupported,
                fmt::format("ROS 1 does not support messages of type {}", type_name(type)));
  }
  return Adapter().adapt(type);
}

std::string print(const Type& type) {
  return ros::whole_text(type, body_of, false);
}

}  // namespace kitbag::ros1msg
