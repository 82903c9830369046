#include "codec/json/decoder.h"

#include <fmt/format.h>
#include <rapidjson/document.h>
#include <rapidjson/encodedstream.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <unordered_map>
#include <vector>

#include "kitbag/base64.h"
#include "kitbag/error.h"
#include "model/type/value_budget.h"

// A visitor gets the fields in the order of the type, and an object may have them in any order. So
// the whole payload is parsed into a document first, and then visited by the type. RowReader reads
// single fields without a document.
//
// What the schema leaves open is read as other programs write it: byte arrays as base64 or as lists
// of numbers, NaN as null or as text, enumerations by name or number. A field that is missing has
// its default value. An integer that does not fit into its type is an error.

namespace kitbag::json {

namespace {

using Value = rapidjson::Value;

[[noreturn]] void fail(const Type& type, const Value& value) {
  constexpr std::array<std::string_view, 7> kWords = {"null",   "false",    "true",    "an object",
                                                      "a list", "a string", "a number"};
  throw Error(ErrorCode::corrupt,
              fmt::format("expected {1}, got {0}",
                          kWords.at(static_cast<std::size_t>(value.GetType())), type_name(type)));
}

std::string_view text_of(const Value& value) {
  return {value.GetString(), value.GetStringLength()};
}

std::vector<std::byte> bytes_of(const Type& type, const Value& value) {
  auto bytes = decode_base64(text_of(value));
  if (bytes) return std::move(*bytes);
  throw Error(ErrorCode::corrupt, fmt::format("the string for {} is not base64", type_name(type)));
}

/// Above that many, a table of the names is quicker.
constexpr std::size_t kMostComparisons = 64 * 64;

class Walk {
 public:
  Walk(std::size_t payload_bytes, Visitor& visitor) : budget_(payload_bytes), visitor_(visitor) {}

  void value(const Type& type, const Value& value) {
    if (++depth_ > 4 * kMaxTypeDepth) {
      throw Error(ErrorCode::corrupt, "the values are nested too deep");
    }
    switch (type.kind) {
      case Kind::any:
        any(type, value);
        break;
      case Kind::boolean:
        if (!value.IsBool()) fail(type, value);
        visitor_.boolean(type, value.GetBool());
        break;
      case Kind::float32:
      case Kind::float64:
        visitor_.real(type, real(type, value));
        break;
      case Kind::text:
      case Kind::wide_text:
        if (!value.IsString()) fail(type, value);
        visitor_.text(type, text_of(value));
        break;
      case Kind::structure:
        structure(type, value);
        break;
      case Kind::tagged_union:
        choice(type, value);
        break;
      case Kind::array:
      case Kind::sequence:
        list(type, value);
        break;
      default:
        integer(type, value);
    }
    --depth_;
  }

 private:
  void any(const Type& type, const Value& value) {
    if (value.IsNull()) return visitor_.nothing(type);
    if (value.IsBool()) return visitor_.boolean(type, value.GetBool());
    if (value.IsString()) return visitor_.text(type, text_of(value));
    if (value.IsInt64()) return visitor_.integer(type, value.GetInt64());
    if (value.IsUint64()) return visitor_.unsigned_integer(type, value.GetUint64());
    if (value.IsNumber()) return visitor_.real(type, value.GetDouble());
    if (value.IsArray()) {
      visitor_.begin_array(type, value.Size());
      for (const Value& each : value.GetArray()) this->value(type, each);
      return visitor_.end_array();
    }
    visitor_.begin_struct(type);
    for (const auto& member : value.GetObject()) {
      Field field;
      // No type has this field: it lives as long as the call, and a visitor must not keep its
      // address.
      field.name = text_of(member.name);
      field.type = &type;
      visitor_.field(field);
      this->value(type, member.value);
    }
    visitor_.end_struct();
  }

  static double real(const Type& type, const Value& value) {
    if (value.IsNumber()) return value.GetDouble();
    if (value.IsNull()) return std::numeric_limits<double>::quiet_NaN();
    if (value.IsString()) {
      std::string_view text = text_of(value);
      if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
      if (text == "Infinity") return std::numeric_limits<double>::infinity();
      if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
    }
    fail(type, value);
  }

  void integer(const Type& type, const Value& value) {
    if (type.kind == Kind::enumeration && value.IsString()) {
      const Enumerator* found = enumerator(type, text_of(value));
      if (!found) fail(type, value);
      return visitor_.integer(type, found->value);
    }
    if (value.IsInt64()) {
      visitor_.integer(type, in_range(type, value.GetInt64()));
    } else if (value.IsUint64() && type.kind == Kind::uint64) {
      visitor_.unsigned_integer(type, value.GetUint64());
    } else {
      fail(type, value);
    }
  }

  static std::int64_t in_range(const Type& type, std::int64_t value) {
    Kind kind = type.kind == Kind::enumeration ? type.base : type.kind;
    auto bits = static_cast<unsigned>(8 * scalar_bytes(kind));
    bool is_signed =
        kind == Kind::int8 || kind == Kind::int16 || kind == Kind::int32 || kind == Kind::int64;
    bool fits = is_signed ? bits == 64 || (value >= -(std::int64_t{1} << (bits - 1)) &&
                                           value < (std::int64_t{1} << (bits - 1)))
                          : value >= 0 && (bits == 64 || value < (std::int64_t{1} << bits));
    if (fits) return value;
    throw Error(ErrorCode::corrupt, fmt::format("{} does not fit into {}", value, kind_name(kind)));
  }

  /// Of two members of one name, the first one.
  static const Value* find(const Value& object, std::string_view name) {
    auto found =
        object.FindMember(Value(name.data(), static_cast<rapidjson::SizeType>(name.size())));
    return found == object.MemberEnd() ? nullptr : &found->value;
  }

  /// `found`: the value of the field, or null.
  void member(const Field& field, const Value* found) {
    visitor_.field(field);
    if (!found) {
      budget_.charge(field.type->default_values);
      return visit_default(field, visitor_);
    }
    if (found->IsNull() && field.is_optional) return visitor_.nothing(*field.type);
    value(*field.type, *found);
  }

  void structure(const Type& type, const Value& value) {
    if (!value.IsObject()) fail(type, value);
    visitor_.begin_struct(type);
    if (type.fields.size() * value.MemberCount() <= kMostComparisons) {
      for (const Field& field : type.fields) member(field, find(value, field.name));
    } else {
      std::unordered_map<std::string_view, const Value*> members;
      for (const auto& each : value.GetObject()) members.emplace(text_of(each.name), &each.value);
      for (const Field& field : type.fields) {
        auto found = members.find(field.name);
        member(field, found == members.end() ? nullptr : found->second);
      }
    }
    visitor_.end_struct();
  }

  /// An object with the discriminator and the one branch.
  void choice(const Type& type, const Value& value) {
    if (!value.IsObject()) fail(type, value);
    visitor_.begin_struct(type);
    const Value* label = find(value, type.fields[0].name);
    member(type.fields[0], label);
    const Field* field = find_branch(type, label ? label_of(*type.fields[0].type, *label) : 0);
    if (field) member(*field, find(value, field->name));
    visitor_.end_struct();
  }

  /// Of a discriminator that has been visited, so that it is known to fit its type.
  std::int64_t label_of(const Type& type, const Value& value) {
    if (value.IsInt64()) return value.GetInt64();
    if (!value.IsString()) return value.IsTrue() ? 1 : 0;
    const Enumerator* found = enumerator(type, text_of(value));
    return found ? found->value : 0;
  }

  /// Of two of one name, the first one; null: there is none.
  const Enumerator* enumerator(const Type& type, std::string_view name) {
    auto [names, is_new] = enumerators_.try_emplace(&type);
    if (is_new) {
      for (const Enumerator& one : type.enumerators) names->second.emplace(one.name, &one);
    }
    auto found = names->second.find(name);
    return found == names->second.end() ? nullptr : found->second;
  }

  void list(const Type& type, const Value& value) {
    if (value.IsString() && is_byte(type.element->kind)) {
      auto bytes = bytes_of(type, value);
      require_length(type, bytes.size());
      visitor_.begin_array(type, bytes.size());
      visitor_.packed(*type.element, bytes);
      return visitor_.end_array();
    }
    if (!value.IsArray()) fail(type, value);
    require_length(type, value.Size());
    visitor_.begin_array(type, value.Size());
    for (const Value& each : value.GetArray()) this->value(*type.element, each);
    visitor_.end_array();
  }

  static void require_length(const Type& type, std::size_t count) {
    if (type.kind != Kind::array || count == type.length) return;
    throw Error(ErrorCode::corrupt,
                fmt::format("expected {1}, got {0} elements", count, type_name(type)));
  }

  ValueBudget budget_;
  Visitor& visitor_;
  std::map<const Type*, std::unordered_map<std::string_view, const Enumerator*>> enumerators_;
  std::size_t depth_ = 0;
};

/// Hands numbers on as what they are: rapidjson's own reading of them is slow where it is exact.
template <class Handler>
class Numbers : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Numbers<Handler>> {
 public:
  explicit Numbers(Handler& handler) : handler_(handler) {}

  bool Null() { return handler_.Null(); }
  bool Bool(bool value) { return handler_.Bool(value); }
  bool String(const char* text, rapidjson::SizeType size, bool copy) {
    return handler_.String(text, size, copy);
  }
  bool StartObject() { return handler_.StartObject(); }
  bool Key(const char* text, rapidjson::SizeType size, bool copy) {
    return handler_.Key(text, size, copy);
  }
  bool EndObject(rapidjson::SizeType count) { return handler_.EndObject(count); }
  bool StartArray() { return handler_.StartArray(); }
  bool EndArray(rapidjson::SizeType count) { return handler_.EndArray(count); }

  bool RawNumber(const char* text, rapidjson::SizeType size, bool) {
    const char* end = text + size;
    // An integer of 64 bits stays exact. All others are doubles, and so are those with a point.
    std::int64_t number = 0;
    if (is_whole(std::from_chars(text, end, number), end)) return handler_.Int64(number);
    std::uint64_t large = 0;
    if (is_whole(std::from_chars(text, end, large), end)) return handler_.Uint64(large);
    double real = 0;
    if (is_whole(std::from_chars(text, end, real), end)) return handler_.Double(real);
    real = std::strtod(std::string(text, size).c_str(), nullptr);  // too small, or too large
    return std::isfinite(real) && handler_.Double(real);
  }

 private:
  static bool is_whole(std::from_chars_result result, const char* end) {
    return result.ec == std::errc() && result.ptr == end;
  }

  Handler& handler_;
};

}  // namespace

void Decoder::decode(ByteView payload, Visitor& visitor) {
  // Not recursive: a payload of brackets would use up the stack.
  constexpr unsigned kFlags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag;
  rapidjson::MemoryStream bytes(reinterpret_cast<const char*>(payload.data()), payload.size());
  // Passes over a byte order mark, which some writers put in front.
  rapidjson::EncodedInputStream<rapidjson::UTF8<>, rapidjson::MemoryStream> text(bytes);
  rapidjson::ParseResult result;
  rapidjson::Document document;
  auto fill = [&](auto& handler) {
    Numbers numbers(handler);
    result = rapidjson::Reader().Parse<kFlags>(text, numbers);
    return !result.IsError();
  };
  document.Populate(fill);
  if (result.IsError()) {
    bool is_large = result.Code() == rapidjson::kParseErrorTermination;
    throw Error(ErrorCode::corrupt,
                fmt::format("the payload is not JSON: {}",
                            is_large ? "A number is too large."
                                     : rapidjson::GetParseError_En(result.Code())),
                {}, result.Offset());
  }
  Walk(payload.size(), visitor).value(type_ ? *type_ : builtin_type(Kind::any), document);
}

}  // namespace kitbag::json
