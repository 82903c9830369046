#include "language/jsonschema/parser.h"

#include <fmt/format.h>
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/pointer.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/lines.h"
#include "kitbag/error.h"

// A schema describes much that says nothing of fields: patterns, ranges, conditions. What is not
// understood is of kind any, not an error, because the values can be shown without it. The order of
// the fields is that of the text.
//
// `$ref` is followed within the text only, and expanded at each use, so a few lines could stand for
// millions of types: hence kMaxTypes and kMaxExpandedBytes. A schema that contains itself is an
// error at the limit of depth. Types that were written out several times, as kitbag's own printer
// does, are one type again if their names and shapes agree; without that, converting to a language
// with names would number them.
//
// What a schema becomes:
//
//     "object" with "properties"    structure
//     "array"                       list of "items"; of one length if "minItems" is "maxItems"
//     "string"                      text; with "contentEncoding": "base64", a list of bytes
//     "integer"                     the kind in "format", or int64; with "oneOf", an enumeration
//     "number"                      the kind in "format", or float64
//     "boolean"                     boolean
//     all others                    any

namespace kitbag::jsonschema {

namespace {

using Value = rapidjson::Value;

std::string_view text_of(const Value& value) {
  return {value.GetString(), value.GetStringLength()};
}

const Value* member(const Value& value, const char* name) {
  auto found = value.FindMember(name);
  return found == value.MemberEnd() ? nullptr : &found->value;
}

std::string_view text_at(const Value& value, const char* name) {
  const Value* found = member(value, name);
  return found && found->IsString() ? text_of(*found) : std::string_view();
}

/// `reference` as rapidjson takes it: with a % form for "$" and the other characters that a URI
/// may have in a fragment as they are (RFC 3986, 3.5).
std::string strict_fragment(std::string_view reference) {
  constexpr std::string_view kKept = "-._~/%#";
  std::string fragment;
  for (char c : reference) {
    bool is_kept =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || kKept.find(c) != std::string_view::npos;
    if (is_kept) {
      fragment += c;
    } else {
      fragment += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return fragment;
}

std::uint64_t number_at(const Value& value, const char* name) {
  const Value* found = member(value, name);
  return found && found->IsUint64() ? found->GetUint64() : 0;
}

class Parser {
 public:
  Parser(const Schema& schema, const rapidjson::Document& document)
      : schema_(schema), document_(document) {}

  TypePtr parse() {
    const Type& root = of(document_, schema_.name);
    return builder_.finish(root);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::corrupt,
                fmt::format("definition of {}: {}", printable(schema_.name), what));
  }

  const Type& of(const Value& value, std::string_view name) {
    if (!value.IsObject()) return builtin_type(Kind::any);  // `true` is a schema too
    if (++depth_ > kMaxTypeDepth) fail("it is nested too deep");
    // Types are counted as they are written out, not as they are kept: the work is what has to end.
    if (++types_ > kMaxTypes) {
      throw Error(ErrorCode::limit,
                  fmt::format("definition of {}: fully expanded, it has more than {} types",
                              printable(schema_.name), kMaxTypes));
    }
    const Type& type = plain(value, name);
    --depth_;
    return type;
  }

  const Type& plain(const Value& value, std::string_view name) {
    std::string_view reference = text_at(value, "$ref");
    if (!reference.empty()) return referred(reference, name);
    std::string_view type = type_of(value);
    if (type == "object" && member(value, "properties")) return structure(value, name);
    if (type == "array") return list(value, name);
    if (type == "string") return text(value);
    if (type == "boolean") return builtin_type(Kind::boolean);
    std::string_view format = text_at(value, "format");
    auto kind = kind_named(format);
    if (type == "number") {
      return builtin_type(kind && is_real(*kind) ? *kind : Kind::float64);
    }
    if (type != "integer") return builtin_type(Kind::any);
    Kind integer = kind && is_integer(*kind) ? *kind : Kind::int64;
    if (member(value, "oneOf")) return enumeration(value, integer, name);
    return builtin_type(integer);
  }

  /// A name, or the one beside "null" in a list of two.
  static std::string_view type_of(const Value& value) {
    const Value* type = member(value, "type");
    if (!type) return member(value, "properties") ? "object" : "";
    if (type->IsString()) return text_of(*type);
    if (!type->IsArray()) return {};
    std::string_view found;
    for (const Value& each : type->GetArray()) {
      if (!each.IsString() || text_of(each) == "null") continue;
      if (!found.empty()) return {};
      found = text_of(each);
    }
    return found;
  }

  static bool may_be_null(const Value& value) {
    const Value* type = value.IsObject() ? member(value, "type") : nullptr;
    if (!type || !type->IsArray()) return false;
    return std::any_of(type->Begin(), type->End(), [](const Value& each) {
      return each.IsString() && text_of(each) == "null";
    });
  }

  const Type& referred(std::string_view reference, std::string_view name) {
    if (!reference.starts_with('#')) return builtin_type(Kind::any);  // in another file
    expand(reference.size());
    std::string fragment = strict_fragment(reference);
    rapidjson::Pointer pointer(fragment.data(), fragment.size());
    const Value* found = pointer.IsValid() ? pointer.Get(document_) : nullptr;
    if (!found) fail(fmt::format("\"{}\" is missing", printable(reference)));
    std::size_t slash = reference.rfind('/');
    bool has_name = slash != std::string_view::npos && slash + 1 < reference.size();
    return of(*found, has_name ? reference.substr(slash + 1) : name);
  }

  const Type& text(const Value& value) {
    if (text_at(value, "contentEncoding") == "base64") return bytes(text_at(value, "format"));
    bool is_wide = text_at(value, "format") == kind_name(Kind::wide_text);
    return builder_.text(is_wide ? Kind::wide_text : Kind::text, number_at(value, "maxLength"));
  }

  /// "uint8[16]", "byte[<=10]"; other schemas do not describe the bytes.
  const Type& bytes(std::string_view format) {
    std::size_t bracket = std::min(format.find('['), format.size());
    auto kind = kind_named(format.substr(0, bracket));
    const Type& element = builtin_type(kind && is_byte(*kind) ? *kind : Kind::uint8);
    std::string_view length = format.substr(std::min(bracket + 1, format.size()));
    bool is_bound = length.starts_with("<=");
    if (is_bound) length.remove_prefix(2);
    std::uint64_t count = 0;
    auto parsed = std::from_chars(length.data(), length.data() + length.size(), count);
    bool has_length = parsed.ec == std::errc() && count <= UINT32_MAX;
    if (!has_length) return builder_.sequence(element);
    return is_bound ? builder_.sequence(element, count) : builder_.array(element, count);
  }

  const Type& list(const Value& value, std::string_view name) {
    const Value* items = member(value, "items");
    const Type& element = items ? of(*items, std::string(name) + "_item") : builtin_type(Kind::any);
    std::uint64_t most = number_at(value, "maxItems");
    if (most > UINT32_MAX) most = 0;
    bool is_fixed = member(value, "minItems") && member(value, "maxItems") &&
                    number_at(value, "minItems") == most;
    return is_fixed ? builder_.array(element, most) : builder_.sequence(element, most);
  }

  const Type& enumeration(const Value& value, Kind base, std::string_view name) {
    Type& type = builder_.add(Kind::enumeration, title_of(value, name));
    expand(type.name.size());
    type.base = base;
    const Value* all = member(value, "oneOf");
    if (!all->IsArray()) fail("\"oneOf\" is not a list");
    for (const Value& one : all->GetArray()) {
      const Value* number = one.IsObject() ? member(one, "const") : nullptr;
      if (!number || !number->IsInt64()) fail("a value of an enumeration is not an integer");
      std::string_view title = text_at(one, "title");
      expand(sizeof(Enumerator) + title.size());
      type.enumerators.push_back({std::string(title), number->GetInt64()});
    }
    return type;
  }

  static std::string title_of(const Value& value, std::string_view name) {
    std::string_view title = text_at(value, "title");
    return std::string(title.empty() ? name : title);
  }

  const Type& structure(const Value& value, std::string_view name) {
    const Value& properties = *member(value, "properties");
    if (!properties.IsObject()) fail("\"properties\" is not an object");
    std::string title = title_of(value, name);
    const std::set<std::string_view>& required = required_in(value);
    expand(title.size() + properties.MemberCount() * sizeof(Field));
    std::vector<Field> fields;
    fields.reserve(properties.MemberCount());
    for (const auto& property : properties.GetObject()) {
      Field field;
      field.name = text_of(property.name);
      expand(title.size() + field.name.size());
      field.type = &of(property.value, title + "_" + field.name);
      bool is_required = required.count(field.name) > 0;
      field.is_optional = !is_required || may_be_null(property.value);
      bool is_header = title == "std_msgs/Header" || title == "roslib/Header";
      field.is_sequence = is_header && field.name == "seq";
      if (property.value.IsObject()) {
        field.word = text_at(property.value, "x-word");
        field.alias.name = text_at(property.value, "x-name");
      }
      fields.push_back(std::move(field));
    }
    Type& type = builder_.add(Kind::structure, std::move(title));
    type.fields = std::move(fields);
    std::string_view format = text_at(value, "format");
    if (type.fields.size() == 2 && format == "time") type.role = Role::time;
    if (type.fields.size() == 2 && format == "duration") type.role = Role::duration;
    take_constants(value, type);
    return known(type);
  }

  /// Made once for a schema, which may be used at many places.
  const std::set<std::string_view>& required_in(const Value& value) {
    auto [names, is_new] = required_.try_emplace(&value);
    const Value* required = is_new ? member(value, "required") : nullptr;
    if (!required || !required->IsArray()) return names->second;
    for (const Value& each : required->GetArray()) {
      if (each.IsString()) names->second.insert(text_of(each));
    }
    return names->second;
  }

  /// Types are written out at each use; those of one name and shape are merged again.
  const Type& known(const Type& type) {
    std::size_t shape = shape_of(type);
    return *known_.try_emplace(std::pair(type.name, shape), &type).first->second;
  }

  /// A number that types have in common exactly if they are the same_shape(): comparing each with
  /// all others of its name would take the square of their number.
  std::size_t shape_of(const Type& type) {
    auto known = shape_of_.find(&type);
    if (known != shape_of_.end()) return known->second;
    int base = type.kind == Kind::enumeration ? static_cast<int>(type.base) : 0;
    std::string text = fmt::format("{} {} {} {}", static_cast<int>(type.kind), type.length,
                                   static_cast<int>(type.role), base);
    if (type.element) text += fmt::format(" {}", shape_of(*type.element));
    for (const Field& field : type.fields) {
      text += fmt::format(" {}:{} {} {} {}", field.name.size(), field.name, shape_of(*field.type),
                          field.is_optional, field.is_sequence);
    }
    std::size_t shape = shapes_.try_emplace(std::move(text), shapes_.size()).first->second;
    if (type.kind == Kind::structure) shape_of_.emplace(&type, shape);
    return shape;
  }

  /// Counts what a use of a schema costs: a few of them, each used often, can be very long.
  void expand(std::size_t bytes) {
    expanded_bytes_ += bytes;
    if (expanded_bytes_ <= kMaxExpandedBytes) return;
    throw Error(ErrorCode::limit,
                fmt::format("definition of {}: fully expanded, it takes more than {} MB",
                            printable(schema_.name), kMaxExpandedBytes >> 20));
  }

  void take_constants(const Value& value, Type& type) {
    const Value* all = member(value, "x-constants");
    if (!all || !all->IsArray()) return;
    for (const Value& one : all->GetArray()) {
      if (!one.IsObject()) continue;
      expand(sizeof(Constant) + text_at(one, "title").size() + text_at(one, "const").size());
      std::string_view format = text_at(one, "format");
      Kind kind = format == "string" ? Kind::text : kind_named(format).value_or(Kind::int32);
      Constant& constant = type.constants.emplace_back();
      constant.kind = kind;
      constant.name = text_at(one, "title");
      constant.text = text_at(one, "const");
      constant.word = text_at(one, "x-word");
      constant.alias.name = text_at(one, "x-name");
    }
  }

  const Schema& schema_;
  const rapidjson::Document& document_;
  TypeBuilder builder_;
  std::map<std::pair<std::string, std::size_t>, const Type*> known_;  ///< by title and shape
  std::map<std::string, std::size_t> shapes_;
  std::map<const Type*, std::size_t> shape_of_;  ///< of the structures
  std::map<const Value*, std::set<std::string_view>> required_;
  std::size_t types_ = 0;
  std::size_t expanded_bytes_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace

TypePtr parse(const Schema& schema) {
  auto fail = [&](const std::string& what) {
    throw Error(ErrorCode::corrupt,
                fmt::format("definition of {}: {}", printable(schema.name), what));
  };
  if (schema.text.size() > kMaxTextBytes) {
    fail(fmt::format("it has more than {} bytes", kMaxTextBytes));
  }
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(schema.text.data(), schema.text.size());
  if (document.HasParseError()) {
    fail(fmt::format("at byte {}: {}", document.GetErrorOffset(),
                     rapidjson::GetParseError_En(document.GetParseError())));
  }
  return Parser(schema, document).parse();
}

}  // namespace kitbag::jsonschema
