#include <algorithm>
#include <array>
#include <string_view>

#include "kitbag/error.h"
#include "transport/ros2/messages.h"

// type_description_interfaces/msg/FieldType numbers the types of one value; those of lists of them
// are so much more.

namespace kitbag::ros2 {

namespace {

constexpr unsigned kArray = 48;
constexpr unsigned kBoundedSequence = 96;
constexpr unsigned kUnboundedSequence = 144;
constexpr unsigned kNested = 1;
constexpr unsigned kBoundedText = 21;
constexpr unsigned kBoundedWideText = 22;

/// Those that a .msg file has, by their numbers. Characters, long doubles and strings of one length
/// are of IDL alone.
constexpr std::array<std::string_view, 23> kWords = {
    "",      "",       "int8",    "uint8",   "int16", "uint16", "int32",  "uint32",
    "int64", "uint64", "float32", "float64", "",      "",       "",       "bool",
    "byte",  "string", "wstring", "",        "",      "string", "wstring"};

/// "std_msgs/String" of "std_msgs/msg/String", as .msg files have it; others are named in full.
std::string short_name(const std::string& type) {
  constexpr std::string_view kMessages = "/msg/";
  std::size_t at = type.find(kMessages);
  if (at == std::string::npos) return type;
  return type.substr(0, at + 1) + type.substr(at + kMessages.size());
}

std::string line_of(const FieldDescription& field) {
  unsigned id = field.type_id;
  std::string brackets;
  if (id > kUnboundedSequence) {
    id -= kUnboundedSequence;
    brackets = "[]";
  } else if (id > kBoundedSequence) {
    id -= kBoundedSequence;
    brackets = "[<=" + std::to_string(field.capacity) + "]";
  } else if (id > kArray) {
    id -= kArray;
    brackets = "[" + std::to_string(field.capacity) + "]";
  }
  std::string word(id < kWords.size() ? kWords[id] : "");
  if (id == kNested) word = short_name(field.nested_type);
  if (id == kBoundedText || id == kBoundedWideText) {
    word += "<=" + std::to_string(field.text_capacity);
  }
  if (word.empty()) {
    throw Error(ErrorCode::unsupported,
                ".msg files do not support the type of the field " + field.name);
  }
  return word + brackets + " " + field.name + "\n";
}

std::string lines_of(const TypeDescription& type) {
  // What stands for "no fields" in every description.
  bool is_empty =
      type.fields.empty() || (type.fields.size() == 1 &&
                              type.fields.front().name == "structure_needs_at_least_one_member");
  if (is_empty) return "# no fields\n";
  std::string text;
  for (const FieldDescription& field : type.fields) text += line_of(field);
  return text;
}

}  // namespace

std::string text_of(const std::vector<TypeDescription>& types) {
  const std::string line(80, '=');
  std::string text;
  for (const TypeDescription& type : types) {
    if (!text.empty()) text += line + "\nMSG: " + short_name(type.type) + "\n";
    text += lines_of(type);
  }
  return text;
}

}  // namespace kitbag::ros2
