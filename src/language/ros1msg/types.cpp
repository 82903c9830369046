#include "language/ros1msg/types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "kitbag/error.h"

namespace kitbag::ros1msg {

namespace {

constexpr const char* kHeader = "std_msgs/Header";
constexpr std::string_view kSeparator =
    "================================================================================\n";

struct Word {
  std::string_view name;
  Kind kind;
};
constexpr std::array<Word, 14> kWords = {{{"bool", Kind::boolean},
                                          {"int8", Kind::int8},
                                          {"byte", Kind::int8},
                                          {"uint8", Kind::uint8},
                                          {"char", Kind::uint8},
                                          {"int16", Kind::int16},
                                          {"uint16", Kind::uint16},
                                          {"int32", Kind::int32},
                                          {"uint32", Kind::uint32},
                                          {"int64", Kind::int64},
                                          {"uint64", Kind::uint64},
                                          {"float32", Kind::float32},
                                          {"float64", Kind::float64},
                                          {"string", Kind::text}}};

std::optional<Kind> kind_of(std::string_view word) {
  auto found =
      std::find_if(kWords.begin(), kWords.end(), [&](const Word& one) { return one.name == word; });
  if (found == kWords.end()) return std::nullopt;
  return found->kind;
}

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

/// Other words for int8 and uint8, which count in an MD5 sum.
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
};

/// "std_msgs/msg/String", "foxglove.Log" and "p::S" as "std_msgs/String", "foxglove/Log", "p/S".
std::string adapted_name(const std::string& name) {
  std::vector<std::string> parts(1);
  for (char c : name) {
    if (c == '/' || c == '.' || c == ':') {
      if (!parts.back().empty()) parts.emplace_back();
    } else {
      bool is_part = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      parts.back() += is_part ? c : '_';
    }
  }
  std::string package = parts.size() > 1 ? parts.front() : "unknown";
  std::string own = parts.back().empty() ? "Unknown" : parts.back();
  for (std::size_t i = parts.size() - 1; i-- > 1;) {
    bool is_folder = parts[i] == "msg" || parts[i] == "srv" || parts[i] == "action";
    if (!is_folder) own = parts[i] + "_" + own;
  }
  return package + "/" + own;
}

class Adapter {
 public:
  TypePtr adapt(const Type& type) {
    if (type.kind != Kind::structure || type.role != Role::none) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("ROS 1 has no messages of type {}", type_name(type)));
    }
    return builder_.finish(of(type));
  }

 private:
  const Type& of(const Type& type) {
    switch (type.kind) {
      case Kind::text:
      case Kind::wide_text:
        return builtin_type(Kind::text);
      case Kind::octet:
      case Kind::character:
        return builtin_type(Kind::uint8);
      case Kind::wide_char:
        return builtin_type(Kind::uint16);
      case Kind::enumeration:
        return builtin_type(type.base);
      case Kind::array:
        return builder_.array(of(*type.element), type.length);
      case Kind::sequence:
        return builder_.sequence(of(*type.element));
      case Kind::structure:
        return structure(type);
      case Kind::tagged_union:
        throw Error(ErrorCode::unsupported, fmt::format("ROS 1 has no unions: {}", type.name));
      case Kind::any:
        throw Error(ErrorCode::unsupported, "ROS 1 has no values without a type");
      default:
        return builtin_type(type.kind);
    }
  }

  const Type& structure(const Type& type) {
    auto [known, is_new] = types_.emplace(&type, nullptr);
    if (!is_new) {
      if (known->second) return *known->second;
      throw Error(ErrorCode::unsupported,
                  fmt::format("ROS 1 has no types that contain themselves: {}", type.name));
    }
    const Type& made = type.role == Role::none ? message(type) : add_time(builder_, type.role);
    types_[&type] = &made;
    return made;
  }

  const Type& message(const Type& type) {
    std::string name = unique_name(adapted_name(type.name));
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
      made.word =
          adapted_word(field.alias.word.empty() ? field.word : field.alias.word, *made.type);
      made.is_sequence = field.is_sequence;
      fields.push_back(std::move(made));
    }
    Type& made = builder_.add(Kind::structure, std::move(name));
    made.fields = std::move(fields);
    for (const kitbag::Constant& constant : type.constants) {
      made.constants.push_back(constant);
      kitbag::Constant& last = made.constants.back();
      if (!constant.alias.name.empty()) last.name = constant.alias.name;
      last.alias = {};
      Kind& kind = last.kind;
      if (kind == Kind::wide_text) kind = Kind::text;
      if (kind == Kind::octet || kind == Kind::character) kind = Kind::uint8;
      const std::string& word = constant.alias.word.empty() ? constant.word : constant.alias.word;
      last.word = adapted_word(word, builtin_type(kind));
    }
    return made;
  }

  static std::string adapted_word(const std::string& word, const Type& type) {
    const Type& element = is_list(type.kind) ? *type.element : type;
    bool is_right = (word == "byte" && element.kind == Kind::int8) ||
                    (word == "char" && element.kind == Kind::uint8);
    return is_right ? word : std::string();
  }

  static bool is_plain_header(const Type& type) {
    return type.fields.size() == 2 && type.fields[0].type->role == Role::time &&
           is_text(type.fields[1].type->kind);
  }

  std::string unique_name(const std::string& name) {
    std::string unique = name;
    for (int i = 2; !names_.insert(unique).second; ++i) unique = fmt::format("{}{}", name, i);
    return unique;
  }

  TypeBuilder builder_;
  std::map<const Type*, const Type*> types_;
  std::set<std::string> names_;
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
                fmt::format("ROS 1 has no lists of lists: {}", type_name(*field.type)));
  }
  std::string name = field.word.empty() ? type_name(*element) : field.word;
  if (name == kHeader && brackets.empty()) name = "Header";
  return name + brackets;
}

class Printer {
 public:
  std::string print(const Type& root) {
    body(root);
    collect(root);
    for (const Type* type : order_) {
      text_ += fmt::format("\n{}MSG: {}\n", kSeparator, type->name);
      body(*type);
    }
    return std::move(text_);
  }

 private:
  void body(const Type& type) {
    for (const kitbag::Constant& constant : type.constants) {
      std::string_view kind = kind_name(constant.kind);
      text_ += fmt::format("{} {}={}\n", constant.word.empty() ? kind : constant.word,
                           constant.name, constant.text);
    }
    for (const kitbag::Field& field : type.fields) {
      text_ += fmt::format("{} {}\n", word_of(field), field.name);
    }
  }

  /// Depth first, each once, as gentools does it.
  void collect(const Type& type) {
    for (const kitbag::Field& field : type.fields) {
      const Type* part = is_list(field.type->kind) ? field.type->element : field.type;
      if (part->kind != Kind::structure || part->role != Role::none) continue;
      if (std::find(order_.begin(), order_.end(), part) != order_.end()) continue;
      order_.push_back(part);
      collect(*part);
    }
  }

  std::string text_;
  std::vector<const Type*> order_;
};

}  // namespace

TypePtr type_of(const Definitions& definitions) {
  return Types(definitions).root();
}

TypePtr adapt(const Type& type) {
  return Adapter().adapt(type);
}

std::string print(const Type& type) {
  return Printer().print(type);
}

}  // namespace kitbag::ros1msg
