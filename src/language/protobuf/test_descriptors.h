#pragma once

#include <cstdint>
#include <string>

#include "language/protobuf/descriptors.h"

// Descriptors written by hand: a message is the sum of its fields.

namespace kitbag::protobuf::test {

inline std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}
inline std::string numbered(std::uint32_t field, std::uint64_t value) {
  return varint(field << 3) + varint(value);
}
inline std::string sized(std::uint32_t field, const std::string& value) {
  return varint(field << 3 | 2) + varint(value.size()) + value;
}

/// A field; `more` are further fields of its descriptor.
inline std::string field(const std::string& name, std::uint32_t number, FieldType type,
                         const std::string& more = {}) {
  return sized(number::kMessageField,
               sized(number::kFieldName, name) + numbered(number::kFieldNumber, number) +
                   numbered(number::kFieldType, static_cast<int>(type)) + more);
}
/// As protoc leaves it out where it has not resolved the name.
inline std::string untyped(const std::string& name, std::uint32_t number,
                           const std::string& type_name, const std::string& more = {}) {
  return sized(number::kMessageField, sized(number::kFieldName, name) +
                                          numbered(number::kFieldNumber, number) +
                                          sized(number::kFieldTypeName, type_name) + more);
}
inline std::string label(Label label) {
  return numbered(number::kFieldLabel, static_cast<std::uint64_t>(label));
}
inline std::string type_name(const std::string& name) {
  return sized(number::kFieldTypeName, name);
}
inline std::string default_value(const std::string& text) {
  return sized(number::kFieldDefault, text);
}

inline std::string message(const std::string& name, const std::string& parts = {}) {
  return sized(number::kFileMessage, sized(number::kMessageName, name) + parts);
}
inline std::string nested(const std::string& name, const std::string& parts = {}) {
  return sized(number::kMessageMessage, sized(number::kMessageName, name) + parts);
}
inline std::string enum_body(const std::string& name, const std::string& value = {},
                             std::uint64_t number = 0) {
  std::string body = sized(number::kEnumName, name);
  if (value.empty()) return body;
  return body + sized(number::kEnumValue,
                      sized(number::kValueName, value) + numbered(number::kValueNumber, number));
}

inline std::string import(const std::string& name) {
  return sized(number::kFileImport, name);
}
inline std::string package(const std::string& name) {
  return sized(number::kFilePackage, name);
}
inline std::string proto3() {
  return sized(number::kFileSyntax, "proto3");
}
inline std::string file(const std::string& name, const std::string& parts) {
  return sized(number::kSetFile, sized(number::kFileName, name) + parts);
}

}  // namespace kitbag::protobuf::test
