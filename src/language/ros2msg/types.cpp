#include "language/ros2msg/types.h"

#include <fmt/format.h>

#include <map>

#include "kitbag/error.h"
#include "language/ros/definition_text.h"
#include "language/ros/names.h"
#include "language/ros2/adapt.h"
#include "model/type/literal.h"

// Bags are complete only for the types that their writer knew of. Times, headers and what events of
// services refer to are missing from some, so these are known here; a definition in the bag takes
// precedence. Definitions that were converted from ROS 1 by other programs say `time`, `duration`
// and `Header` as ROS 1 does. They are understood where no type of the own package has that name.

namespace kitbag::ros2msg {

namespace {

using ros::full_name;
using ros::short_name;

/// Types that definitions refer to, but that bags do not always contain.
constexpr std::string_view kKnown =
    "================\n"
    "MSG: service_msgs/ServiceEventInfo\n"
    "uint8 REQUEST_SENT = 0\n"
    "uint8 REQUEST_RECEIVED = 1\n"
    "uint8 RESPONSE_SENT = 2\n"
    "uint8 RESPONSE_RECEIVED = 3\n"
    "uint8 event_type\n"
    "builtin_interfaces/Time stamp\n"
    "char[16] client_gid\n"
    "int64 sequence_number\n"
    "================\n"
    "MSG: unique_identifier_msgs/UUID\n"
    "uint8[16] uuid\n"
    "================\n"
    "MSG: builtin_interfaces/Time\n"
    "int32 sec\n"
    "uint32 nanosec\n"
    "================\n"
    "MSG: builtin_interfaces/Duration\n"
    "int32 sec\n"
    "uint32 nanosec\n"
    "================\n"
    "MSG: std_msgs/Header\n"
    "builtin_interfaces/Time stamp\n"
    "string frame_id\n";

class Types {
 public:
  explicit Types(const Definitions& definitions) : definitions_(definitions) {}

  TypePtr root(std::string_view name) {
    const Type* root = find(full_name(name));
    if (root) return builder_.finish(*root);
    throw Error(ErrorCode::not_found, fmt::format("no definition of {} found", name));
  }

 private:
  const Definition* definition(const std::string& name) {
    auto found = definitions_.find(name);
    if (found != definitions_.end()) return &found->second;
    auto known = known_.find(name);
    return known == known_.end() ? nullptr : &known->second;
  }

  const Type* find(const std::string& name) {
    auto [known, is_new] = types_.emplace(name, nullptr);
    if (!is_new) {
      if (known->second) return known->second;
      throw Error(ErrorCode::corrupt, fmt::format("{} contains itself", name));
    }
    if (++nesting_ > kMaxTypeDepth) {
      throw Error(ErrorCode::corrupt,
                  fmt::format("{} is nested more than {} levels deep", name, kMaxTypeDepth));
    }
    const Definition* found = definition(name);
    const Type* made = found ? &of(*found) : nullptr;
    --nesting_;
    // A null that stayed would mean a type that contains itself, and another package may have the
    // name.
    if (!made) types_.erase(name);
    return made ? (types_[name] = made) : nullptr;
  }

  const Type& of(const Definition& definition) {
    std::vector<kitbag::Field> fields;
    fields.reserve(definition.fields.size());
    for (const Field& field : definition.fields) fields.push_back(made(field, definition));
    Type& type = builder_.add(Kind::structure, definition.name);
    type.fields = std::move(fields);
    type.constants = definition.constants;
    type.role = ros2::role_of(definition.name);
    // Who reads a time takes its two fields without asking whether they are there.
    if (type.fields.size() != 2) type.role = Role::none;
    return type;
  }

  kitbag::Field made(const Field& field, const Definition& user) {
    kitbag::Field made;
    made.name = field.name;
    made.alias = field.alias;
    made.type = &list_of(field, element_of(field, user));
    made.is_key = field.is_key;
    made.is_optional = field.is_optional;
    if (field.type == "char") made.word = field.type;
    if (field.default_text) made.default_value = parse_literal(*made.type, *field.default_text);
    return made;
  }

  const Type& element_of(const Field& field, const Definition& user) {
    if (auto kind = kind_of(field.type)) return builder_.text(*kind, field.text_bound);
    std::string_view package = ros::package_of(user.name);
    if (const Type* found = find(full_name(field.type, package))) return *found;
    // Definitions that were converted from ROS 1 say Header and time as it does.
    if (field.type == "Header") {
      if (const Type* header = find("std_msgs/msg/Header")) return *header;
    }
    if (field.type == "time" || field.type == "duration") {
      return *find(field.type == "time" ? "builtin_interfaces/msg/Time"
                                        : "builtin_interfaces/msg/Duration");
    }
    throw Error(ErrorCode::not_found, fmt::format("the definition of {} needs {}, which is missing",
                                                  user.name, field.type));
  }

  const Type& list_of(const Field& field, const Type& element) {
    switch (field.array) {
      case Array::none:
        return element;
      case Array::fixed:
        return builder_.array(element, field.length);
      default:
        return builder_.sequence(element, field.length);
    }
  }

  const Definitions& definitions_;
  Definitions known_ = parse("builtin_interfaces/msg/Time", kKnown);
  TypeBuilder builder_;
  std::map<std::string, const Type*> types_;
  std::size_t nesting_ = 0;
};

std::string quoted(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string text_of(const Literal& literal) {
  struct Printer {
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(std::uint64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return fmt::format("{}", value); }
    std::string operator()(const std::string& value) const { return quoted(value); }
    std::string operator()(const std::vector<Literal>& values) const {
      std::vector<std::string> texts;
      texts.reserve(values.size());
      for (const Literal& each : values) texts.push_back(text_of(each));
      return fmt::format("[{}]", fmt::join(texts, ", "));
    }
  };
  return std::visit(Printer{}, literal.value);
}

std::string word_of(const kitbag::Field& field) {
  const Type* element = field.type;
  std::string brackets;
  if (element->kind == Kind::array) {
    brackets = fmt::format("[{}]", element->length);
  } else if (element->kind == Kind::sequence) {
    brackets = element->length > 0 ? fmt::format("[<={}]", element->length) : "[]";
  }
  if (is_list(element->kind)) element = element->element;
  if (is_list(element->kind)) {
    throw Error(ErrorCode::unsupported, fmt::format(".msg files do not support lists of lists: {}",
                                                    type_name(*field.type)));
  }
  std::string name = is_compound(element->kind) ? short_name(element->name) : type_name(*element);
  return (field.word.empty() ? name : field.word) + brackets;
}

template <class Named>
std::string alias_comment(const Named& named) {
  const Alias& alias = named.alias;
  if (alias.empty()) return {};
  const std::string& name = alias.name.empty() ? named.name : alias.name;
  return fmt::format("  # {}{}{}{}", kAlias, alias.word, alias.word.empty() ? "" : " ", name);
}

/// The text of one message alone.
std::string body_of(const Type& type) {
  bool is_empty = type.fields.empty() && type.constants.empty();
  if (is_empty) return "# no fields\n";  // a bag without a definition has an empty text
  std::string text;
  for (const Constant& constant : type.constants) {
    std::string_view kind = kind_name(constant.kind);
    text += fmt::format(
        "{} {} = {}{}\n", constant.word.empty() ? kind : constant.word, constant.name,
        is_text(constant.kind) ? quoted(constant.text) : constant.text, alias_comment(constant));
  }
  for (const kitbag::Field& field : type.fields) {
    if (field.is_key) text += "@key ";
    if (field.is_optional) text += "@optional ";
    text += fmt::format("{} {}", word_of(field), field.name);
    if (field.default_value) text += " " + text_of(*field.default_value);
    text += alias_comment(field) + '\n';
  }
  return text;
}

}  // namespace

bool is_known(std::string_view name) {
  std::string head = fmt::format("MSG: {}\n", ros::short_name(name));
  return kKnown.find(head) != std::string_view::npos;
}

TypePtr type_of(std::string_view name, const Definitions& definitions) {
  return Types(definitions).root(name);
}

std::string print(const Type& type) {
  return ros::whole_text(type, body_of, true);
}

}  // namespace kitbag::ros2msg
