#include "language/ros2/adapt.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "kitbag/error.h"
#include "language/ros/names.h"
#include "model/type/type_adapter.h"

// ROS 2 refuses many names of fields that ROS 1 allows: capitals, two underscores in a row, one at
// the end. A name that is allowed stays, and takes precedence over a converted one: of `baseLink`
// and `base_link` in one message, the former becomes base_link2. The original name is kept as an
// alias, which the languages of ROS 2 store with the type, and adapting back to ROS 1 takes it.
//
// Constants are renamed too, but what they are called is of no consequence for payloads or hashes.

namespace kitbag::ros2 {

namespace {

constexpr const char* kTime = "builtin_interfaces/msg/Time";
constexpr const char* kDuration = "builtin_interfaces/msg/Duration";
constexpr const char* kHeader = "std_msgs/msg/Header";

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

/// The form that ROS 2 requires of field names: lower case, words separated by "_", letters first.
std::string snake_case(const std::string& name) {
  std::string snake;
  for (std::size_t i = 0; i < name.size(); ++i) {
    char c = name[i];
    bool begins_word = is_upper(c) && i > 0 && !is_upper(name[i - 1]);
    if (begins_word && !snake.empty() && snake.back() != '_') snake += '_';
    if (c == '_' && (snake.empty() || snake.back() == '_')) continue;
    snake += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  while (!snake.empty() && snake.back() == '_') snake.pop_back();
  bool has_letter = !snake.empty() && snake[0] >= 'a' && snake[0] <= 'z';
  return has_letter ? snake : "f_" + snake;
}

/// The form that ROS 2 requires of constant names: upper case, letters first.
std::string upper_case(const std::string& name) {
  std::string upper = snake_case(name);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

bool is_plain(const std::string& name, bool is_constant) {
  bool is_first_right =
      !name.empty() && (is_constant ? is_upper(name[0]) : name[0] >= 'a' && name[0] <= 'z');
  return is_first_right && name.back() != '_' && name.find("__") == std::string::npos &&
         std::none_of(name.begin(), name.end(),
                      [&](char c) { return is_constant ? c >= 'a' && c <= 'z' : is_upper(c); });
}

/// Replaces a name that ROS 2 does not allow, and keeps the original as an alias.
template <class Named>
void rename(std::vector<Named>& all, bool is_constant) {
  std::set<std::string> taken;
  std::map<std::string, int> tried;  // numbers behind a name: thousands may want the same
  for (Named& each : all) {
    if (is_plain(each.name, is_constant)) taken.insert(each.name);
  }
  for (Named& each : all) {
    if (is_plain(each.name, is_constant)) continue;
    std::string name = is_constant ? upper_case(each.name) : snake_case(each.name);
    std::string unique = name;
    int& number = tried.emplace(name, 2).first->second;
    for (; !taken.insert(unique).second; ++number) unique = fmt::format("{}{}", name, number);
    each.alias.name = std::exchange(each.name, unique);
  }
}

class Adapter final : public TypeAdapter {
 public:
  Adapter() : TypeAdapter("ROS 2") {}

 private:
  const Type& plain(const Type& type) override {
    if (type.kind == Kind::character) return builtin_type(Kind::uint8);
    if (type.kind == Kind::wide_char) return builtin_type(Kind::uint16);
    return TypeAdapter::plain(type);
  }

  const Type& make_time(Role role) override { return add_time(builder(), role); }

  /// "std_msgs/String", "foxglove.Log" and "a::b::C" as "std_msgs/msg/String", "foxglove/msg/Log",
  /// "a/msg/b_C"; ROS 2's own names stay.
  std::string name_of(const std::string& name) const override {
    auto parts = name_parts(name);
    if (parts.size() == 1) parts.insert(parts.begin(), "unknown");
    bool has_folder = parts.size() == 3 && is_interface_folder(parts[1]);
    if (has_folder) return fmt::format("{}", fmt::join(parts, "/"));
    auto own = fmt::format("{}", fmt::join(parts.begin() + 1, parts.end(), "_"));
    return fmt::format("{}/{}/{}", parts[0], ros::folder_of(own), own);
  }

  std::vector<Field> fields_of(const Type& type, const std::string& name) override {
    std::vector<Field> fields;
    for (const Field& field : type.fields) {
      if (field.is_sequence && name == kHeader) continue;
      Field made;
      made.name = field.name;
      made.alias = field.alias;
      take_word(field.word, made);
      made.type = &of(*field.type);
      made.is_sequence = field.is_sequence;
      made.is_optional = field.is_optional;
      made.is_key = field.is_key;
      made.default_value = field.default_value;
      fields.push_back(std::move(made));
    }
    rename(fields, false);
    return fields;
  }

  std::vector<Constant> constants_of(const Type& type) const override {
    std::vector<Constant> constants = type.constants;
    for (Constant& constant : constants) {
      std::string word = std::exchange(constant.word, {});
      take_word(word, constant);
    }
    rename(constants, true);
    return constants;
  }

  /// In ROS 2, char is a uint8 as well, but byte is a type of its own.
  template <class Named>
  static void take_word(const std::string& word, Named& made) {
    if (word == "char") made.word = word;
    if (word == "byte") made.alias.word = word;
  }
};

}  // namespace

const Type& add_time(TypeBuilder& builder, Role role) {
  bool is_time = role == Role::time;
  Type& type = builder.add(Kind::structure, is_time ? kTime : kDuration);
  type.role = role;
  type.fields = {{.name = "sec", .type = &builtin_type(Kind::int32)},
                 {.name = "nanosec", .type = &builtin_type(Kind::uint32)}};
  return type;
}

Role role_of(std::string_view full_name) {
  if (full_name == kTime) return Role::time;
  return full_name == kDuration ? Role::duration : Role::none;
}

TypePtr adapt(const Type& type) {
  return Adapter().adapt(type);
}

}  // namespace kitbag::ros2
