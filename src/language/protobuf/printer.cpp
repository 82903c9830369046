#include "language/protobuf/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "base/protobuf_wire.h"
#include "kitbag/bytes.h"
#include "language/protobuf/descriptors.h"
#include "language/protobuf/language.h"

// Each message has a file of its own, named after it. Types may come from several packages, and a
// file can have only one; and a type that two schemas need is the same file in both, so that all
// schemas of a bag can be put into one pool.
//
// What is optional in proto3 must stand in a oneof of its own ("synthetic"), as protoc makes it.
// Readers that do not know proto3_optional then see a oneof, which has presence too.
//
// Fields of descriptors are written in the order of their numbers, as protobuf's own library does:
// bags of one type have one text, whatever wrote them.

namespace kitbag::protobuf {

namespace {

FieldType field_type(Kind kind) {
  switch (kind) {
    case Kind::boolean:
      return FieldType::boolean;
    case Kind::int8:
    case Kind::int16:
    case Kind::int32:
      return FieldType::int32;
    case Kind::int64:
      return FieldType::int64;
    case Kind::uint64:
      return FieldType::uint64;
    case Kind::float32:
      return FieldType::real32;
    case Kind::float64:
      return FieldType::real64;
    case Kind::text:
    case Kind::wide_text:
      return FieldType::text;
    case Kind::structure:
      return FieldType::message;
    default:
      return FieldType::uint32;
  }
}

/// What the descriptor alone says of the field.
std::string plain_name(const Type& element, bool is_list) {
  Kind kind = element.kind;
  if (is_list && kind == Kind::uint8) return "uint8[]";
  bool says_all = kind == Kind::boolean || kind == Kind::int32 || kind == Kind::uint32 ||
                  kind == Kind::int64 || kind == Kind::uint64 || is_real(kind) ||
                  (kind == Kind::text && element.length == 0);
  if (!says_all) return {};
  return std::string(kind_name(kind)) + (is_list ? "[]" : "");
}

void put_varint(std::string& out, std::uint64_t value) {
  std::array<std::byte, 10> bytes{};
  const std::byte* end = store_varint(bytes.data(), value);
  out += as_text({bytes.data(), end});
}

void put(std::string& out, std::uint32_t field, std::uint64_t value) {
  put_varint(out, field << 3 | kVarint);
  put_varint(out, value);
}

void put(std::string& out, std::uint32_t field, std::string_view text) {
  put_varint(out, field << 3 | kSized);
  put_varint(out, text.size());
  out += text;
}

/// The file of one message, and what is known of the message while its fields are gone through.
struct File {
  const Type* type = nullptr;
  std::set<std::string> imported;
  std::string imports;
  std::string fields;
  std::string oneofs;
  std::uint64_t oneof_count = 0;
};

class Printer {
 public:
  std::string print(const Type& root) {
    add(root);
    return std::move(set_);
  }

 private:
  static std::string file_of(const Type& type) {
    std::string name = type.name;
    for (char& c : name) c = c == '.' ? '/' : c;
    return name + ".proto";
  }

  void add(const Type& type) {
    if (!added_.insert(&type).second) return;
    File file;
    file.type = &type;
    for (const Field& field : type.fields) add_field(field, file);
    std::size_t dot = type.name.rfind('.');
    std::string message;
    put(message, number::kMessageName, std::string_view(type.name).substr(dot + 1));
    message += file.fields;
    std::string options = constants_of(type);
    if (!options.empty()) put(message, number::kMessageOptions, options);
    message += file.oneofs;
    std::string text;
    put(text, number::kFileName, file_of(type));
    if (dot != std::string::npos) {
      put(text, number::kFilePackage, std::string_view(type.name).substr(0, dot));
    }
    text += file.imports;
    put(text, number::kFileMessage, message);
    put(text, number::kFileSyntax, "proto3");
    put(set_, number::kSetFile, text);
  }

  static std::string constants_of(const Type& type) {
    std::string options;
    for (const Constant& constant : type.constants) {
      put(options, kConstantOption,
          fmt::format("{} {}={}{}{}={}", kind_name(constant.kind), constant.name,
                      constant.alias.word.empty() ? constant.word : constant.alias.word,
                      constant.alias.name.empty() ? "" : " ", constant.alias.name, constant.text));
    }
    return options;
  }

  void add_field(const Field& field, File& file) {
    bool is_of_many = is_list(field.type->kind);
    const Type& element = is_of_many ? *field.type->element : *field.type;
    bool is_bytes = is_of_many && is_byte(element.kind);
    bool is_message = element.kind == Kind::structure;
    FieldType type = is_bytes ? FieldType::bytes : field_type(element.kind);
    Label label = is_of_many && !is_bytes ? Label::repeated : Label::optional;
    std::string made;
    put(made, number::kFieldName, field.name);
    put(made, number::kFieldNumber, field.id);
    put(made, number::kFieldLabel, static_cast<std::uint64_t>(label));
    put(made, number::kFieldType, static_cast<std::uint64_t>(type));
    if (is_message) {
      put(made, number::kFieldTypeName, "." + element.name);
      if (&element != file.type) import(element, file);  // a file must not import itself
    }
    std::string option = declared_type(field, element, is_of_many);
    if (!option.empty()) {
      std::string options;
      put(options, kTypeOption, option);
      put(made, number::kFieldOptions, options);
    }
    if (!is_message && field.is_optional && !is_of_many) {
      put(made, number::kFieldOneof, file.oneof_count++);
      put(made, number::kFieldProto3Optional, 1);
      std::string oneof;
      put(oneof, number::kOneofName, "_" + field.name);
      put(file.oneofs, number::kMessageOneof, oneof);
    }
    put(file.fields, number::kMessageField, made);
  }

  void import(const Type& element, File& file) {
    add(element);
    std::string name = file_of(element);
    if (file.imported.insert(name).second) put(file.imports, number::kFileImport, name);
  }

  /// What protobuf has no word for; empty: nothing.
  static std::string declared_type(const Field& field, const Type& element, bool is_of_many) {
    std::string name = element.kind == Kind::structure
                           ? std::string("message") + (is_of_many ? "[]" : "")
                           : type_name(*field.type);
    if (element.kind == Kind::structure && field.type->kind == Kind::array) {
      name = fmt::format("message[{}]", field.type->length);
    } else if (element.kind == Kind::structure && field.type->length > 0) {
      name = fmt::format("message[<={}]", field.type->length);
    }
    const Alias& alias = field.alias;
    if (!alias.empty()) name += fmt::format(" {} {}", alias.word, alias.name);
    // A message has presence in proto3, so that it is optional needs no word.
    bool is_foreign = element.kind == Kind::structure && !is_of_many && field.is_optional;
    if (is_foreign || name == plain_name(element, is_of_many)) return {};
    if (field.is_optional) name.insert(std::min(name.find(' '), name.size()), 1, '?');
    return name;
  }

  std::string set_;
  std::set<const Type*> added_;
};

}  // namespace

std::string print(const Type& type) {
  return Printer().print(type);
}

}  // namespace kitbag::protobuf
