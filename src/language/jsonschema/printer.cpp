#include "language/jsonschema/printer.h"

#include <fmt/format.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include "kitbag/error.h"

// A type that occurs twice is written twice. The limit on fields that a type may have in all
// (kMaxTypeFields) also limits this text.
//
// What JSON Schema has no word for is in places that validators leave alone: kinds of numbers in
// `format`, words and names of other languages in `x-word` and `x-name`. Lists of bytes are strings
// in base64, as the JSON encoding writes them; their type is in `format` too.

namespace kitbag::jsonschema {

namespace {

class Printer {
 public:
  std::string print(const Type& type) {
    json_.SetIndent(' ', 2);
    json_.StartObject();
    put("$schema", "https://json-schema.org/draft/2020-12/schema");
    inside(type);
    json_.EndObject();
    return {buffer_.GetString(), buffer_.GetSize()};
  }

 private:
  void put(const char* key, std::string_view text) {
    json_.Key(key);
    string(text);
  }
  void string(std::string_view text) {
    json_.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
  }
  void put(const char* key, std::uint64_t number) {
    json_.Key(key);
    json_.Uint64(number);
  }

  void object(const Type& type) {
    json_.StartObject();
    inside(type);
    json_.EndObject();
  }

  void inside(const Type& type) {
    if (is_list(type.kind)) return list(type);
    if (type.kind == Kind::structure) return structure(type);
    if (is_text(type.kind)) {
      put("type", "string");
      if (type.kind == Kind::wide_text) put("format", kind_name(type.kind));
      if (type.length > 0) put("maxLength", type.length);
    } else if (type.kind == Kind::boolean) {
      put("type", "boolean");
    } else if (is_real(type.kind)) {
      put("type", "number");
      put("format", kind_name(type.kind));
    } else if (type.kind == Kind::enumeration) {
      enumeration(type);
    } else if (is_integer(type.kind)) {
      put("type", "integer");
      put("format", kind_name(type.kind));
    } else if (type.kind == Kind::tagged_union) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("the union {} cannot be expressed in JSON Schema", type.name));
    }
  }

  void enumeration(const Type& type) {
    put("title", type.name);
    put("type", "integer");
    put("format", kind_name(type.base));
    json_.Key("oneOf");
    json_.StartArray();
    for (const Enumerator& one : type.enumerators) {
      json_.StartObject();
      put("title", one.name);
      json_.Key("const");
      json_.Int64(one.value);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void list(const Type& type) {
    bool is_bytes = is_byte(type.element->kind);
    put("type", is_bytes ? "string" : "array");
    if (is_bytes) {
      put("contentEncoding", "base64");
      put("format", type_name(type));
      return;
    }
    json_.Key("items");
    object(*type.element);
    if (type.kind == Kind::array) put("minItems", type.length);
    if (type.length > 0 || type.kind == Kind::array) put("maxItems", type.length);
  }

  void structure(const Type& type) {
    if (++depth_ > kMaxTypeDepth) {
      throw Error(
          ErrorCode::unsupported,
          fmt::format("the recursive type {} cannot be expressed in JSON Schema", type.name));
    }
    put("title", type.name);
    put("type", "object");
    if (type.role != Role::none) put("format", type.role == Role::time ? "time" : "duration");
    json_.Key("properties");
    json_.StartObject();
    for (const Field& field : type.fields) {
      string_key(field.name);
      json_.StartObject();
      inside(*field.type);
      const std::string& word = field.alias.word.empty() ? field.word : field.alias.word;
      if (!word.empty()) put("x-word", word);
      if (!field.alias.name.empty()) put("x-name", field.alias.name);
      json_.EndObject();
    }
    json_.EndObject();
    json_.Key("required");
    json_.StartArray();
    for (const Field& field : type.fields) {
      if (!field.is_optional) string(field.name);
    }
    json_.EndArray();
    if (!type.constants.empty()) constants(type);
    --depth_;
  }

  void string_key(std::string_view key) {
    json_.Key(key.data(), static_cast<rapidjson::SizeType>(key.size()));
  }

  /// Under a name that the standard leaves alone, so that they are there on the way back.
  void constants(const Type& type) {
    json_.Key("x-constants");
    json_.StartArray();
    for (const Constant& constant : type.constants) {
      json_.StartObject();
      put("title", constant.name);
      put("format", kind_name(constant.kind));
      put("const", constant.text);
      const std::string& word = constant.alias.word.empty() ? constant.word : constant.alias.word;
      if (!word.empty()) put("x-word", word);
      if (!constant.alias.name.empty()) put("x-name", constant.alias.name);
      json_.EndObject();
    }
    json_.EndArray();
  }

  rapidjson::StringBuffer buffer_;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> json_{buffer_};
  std::size_t depth_ = 0;
};

}  // namespace

std::string print(const Type& type) {
  return Printer().print(type);
}

}  // namespace kitbag::jsonschema
