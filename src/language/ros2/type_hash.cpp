#include "language/ros2/type_hash.h"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <array>
#include <map>
#include <optional>
#include <vector>

// What is hashed is a text, and so each space of it counts. It is JSON as rosidl prints it, on one
// line, with a space behind ':' and ',':
//
//     {"type_description": {"type_name": "p/msg/T", "fields":
//       [{"name": "x", "type": {"type_id": 11, "capacity": 0, "string_capacity": 0,
//                               "nested_type_name": ""}}]},
//      "referenced_type_descriptions": [...]}
//
// The types that are referred to, directly or not, follow by name, each once and not the type
// itself. Numbers of lists are those of their elements plus 48, 96 or 144. Defaults, constants and
// comments are not in the text, so two definitions that differ only in these have one hash.

namespace kitbag::ros2 {

namespace {

/// type_description_interfaces/msg/FieldType.
constexpr int kNested = 1;
constexpr int kBoundedText = 21;
constexpr int kBoundedWideText = 22;
constexpr int kArray = 48;
constexpr int kBoundedSequence = 96;
constexpr int kUnboundedSequence = 144;

std::optional<int> id_of(const Type& type) {
  switch (type.kind) {
    case Kind::int8:
      return 2;
    case Kind::uint8:
      return 3;
    case Kind::int16:
      return 4;
    case Kind::uint16:
      return 5;
    case Kind::int32:
      return 6;
    case Kind::uint32:
      return 7;
    case Kind::int64:
      return 8;
    case Kind::uint64:
      return 9;
    case Kind::float32:
      return 10;
    case Kind::float64:
      return 11;
    case Kind::character:
      return 13;
    case Kind::wide_char:
      return 14;
    case Kind::boolean:
      return 15;
    case Kind::octet:
      return 16;
    case Kind::text:
      return type.length > 0 ? kBoundedText : 17;
    case Kind::wide_text:
      return type.length > 0 ? kBoundedWideText : 18;
    case Kind::structure:
      return kNested;
    default:
      return std::nullopt;
  }
}

class Description {
 public:
  /// Empty where something has no place in it.
  std::string text(const Type& root) {
    std::string description = of(root);
    std::string referenced;
    referenced_.erase(root.name);
    for (const auto& [name, each] : referenced_) {
      if (!referenced.empty()) referenced += ", ";
      referenced += each;
    }
    if (!is_whole_) return {};
    return fmt::format(R"({{"type_description": {}, "referenced_type_descriptions": [{}]}})",
                       description, referenced);
  }

 private:
  std::string of(const Type& type) {
    std::string fields;
    for (const Field& field : type.fields) {
      if (!fields.empty()) fields += ", ";
      fields += of(field.name, *field.type);
    }
    if (type.fields.empty()) {
      fields = of("structure_needs_at_least_one_member", builtin_type(Kind::uint8));
    }
    return fmt::format(R"({{"type_name": "{}", "fields": [{}]}})", type.name, fields);
  }

  std::string of(const std::string& name, const Type& type) {
    const Type& element = is_list(type.kind) ? *type.element : type;
    auto id = id_of(element);
    if (!id) {
      is_whole_ = false;
      return {};
    }
    int shift = 0;
    if (type.kind == Kind::array) shift = kArray;
    if (type.kind == Kind::sequence)
      shift = type.length > 0 ? kBoundedSequence : kUnboundedSequence;
    bool is_nested = element.kind == Kind::structure;
    if (is_nested) refer(element);
    return fmt::format(
        R"({{"name": "{}", "type": {{"type_id": {}, "capacity": {}, "string_capacity": {}, )"
        R"("nested_type_name": "{}"}}}})",
        name, *id + shift, shift > 0 ? type.length : 0, is_text(element.kind) ? element.length : 0,
        is_nested ? element.name : "");
  }

  void refer(const Type& type) {
    // Entered before it is described: a type of IDL may refer to itself.
    if (referenced_.emplace(type.name, "").second) referenced_[type.name] = of(type);
  }

  std::map<std::string, std::string> referenced_;  ///< sorted, as the hash wants them
  bool is_whole_ = true;
};

}  // namespace

std::string type_hash(const Type& type) {
  if (type.kind != Kind::structure) return {};
  std::string text = Description().text(type);
  if (text.empty()) return {};
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::string hash = "RIHS01_";
  for (unsigned char byte : digest) hash += fmt::format("{:02x}", byte);
  return hash;
}

}  // namespace kitbag::ros2
