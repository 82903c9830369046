#include "language/protobuf/adapt.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <vector>

#include "kitbag/error.h"

namespace kitbag::protobuf {

namespace {

/// "std_msgs/msg/String" and "std_msgs/String" as "std_msgs.String".
std::string adapted_name(const std::string& name) {
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
  if (parts.size() == 1) return "unknown." + parts[0];
  bool has_folder =
      parts.size() == 3 && (parts[1] == "msg" || parts[1] == "srv" || parts[1] == "action");
  if (has_folder) parts.erase(parts.begin() + 1);
  return fmt::format("{}", fmt::join(parts, "."));
}

class Adapter {
 public:
  TypePtr adapt(const Type& type) {
    if (type.kind != Kind::structure) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("protobuf has no messages of type {}", type_name(type)));
    }
    return builder_.finish(of(type));
  }

 private:
  const Type& of(const Type& type) {
    switch (type.kind) {
      case Kind::enumeration:
        return builtin_type(type.base);
      case Kind::array:
        return builder_.array(element(type), type.length);
      case Kind::sequence:
        return builder_.sequence(element(type), type.length);
      case Kind::structure:
        return structure(type);
      case Kind::tagged_union:
        throw Error(ErrorCode::unsupported,
                    fmt::format("the union {} has no protobuf here", type.name));
      case Kind::any:
        throw Error(ErrorCode::unsupported, "protobuf has no values without a type");
      default:
        return is_text(type.kind) ? builder_.text(type.kind, type.length) : builtin_type(type.kind);
    }
  }

  const Type& element(const Type& list) {
    if (is_list(list.element->kind)) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("protobuf has no lists of lists: {}", type_name(list)));
    }
    return of(*list.element);
  }

  const Type& structure(const Type& type) {
    auto [known, is_new] = types_.emplace(&type, nullptr);
    if (!is_new) {
      if (known->second) return *known->second;
      throw Error(ErrorCode::unsupported,
                  fmt::format("{} contains itself, which has no protobuf here", type.name));
    }
    const Type& made = type.role == Role::none ? message(type) : time(type.role);
    types_[&type] = &made;
    return made;
  }

  const Type& time(Role role) {
    const Type*& known = times_[role];
    if (known) return *known;
    Type& made = builder_.add(Kind::structure, role == Role::time ? "google.protobuf.Timestamp"
                                                                  : "google.protobuf.Duration");
    made.role = role;
    made.fields = {
        {.name = "seconds", .type = &builtin_type(Kind::int64), .id = 1, .word = "int64"},
        {.name = "nanos", .type = &builtin_type(Kind::int32), .id = 2, .word = "int32"}};
    known = &made;
    return made;
  }

  const Type& message(const Type& type) {
    std::string name = unique_name(adapted_name(type.name));
    std::vector<Field> fields;
    fields.reserve(type.fields.size());
    for (const Field& field : type.fields) {
      Field made;
      made.name = field.name;
      made.id = static_cast<std::uint32_t>(fields.size() + 1);
      made.type = &of(*field.type);
      made.is_optional = field.is_optional;
      made.is_sequence = field.is_sequence;
      made.alias = field.alias;
      if (made.alias.word.empty()) made.alias.word = field.word;
      fields.push_back(std::move(made));
    }
    Type& made = builder_.add(Kind::structure, std::move(name));
    made.fields = std::move(fields);
    made.constants = type.constants;
    return made;
  }

  std::string unique_name(const std::string& name) {
    std::string unique = name;
    for (int i = 2; !names_.insert(unique).second; ++i) unique = fmt::format("{}{}", name, i);
    return unique;
  }

  TypeBuilder builder_;
  std::map<const Type*, const Type*> types_;
  std::map<Role, const Type*> times_;
  std::set<std::string> names_;
};

}  // namespace

TypePtr adapt(const Type& type) {
  return Adapter().adapt(type);
}

}  // namespace kitbag::protobuf
