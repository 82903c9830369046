#include "language/protobuf/parser.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <vector>

#include "base/lines.h"
#include "kitbag/error.h"
#include "language/protobuf/defaults.h"
#include "language/protobuf/linker.h"

// A schema is a serialized FileDescriptorSet. It is read, its files are linked, and what the
// message consists of becomes a Type. Types of other worlds that were converted to protobuf are in
// options of fields and messages. Their numbers are in the range that protobuf leaves to private
// use (50000 to 99999).
//
// A map is what it is in a payload, a list of messages with a key and a value each. Which fields
// have presence, and so are optional here, depends on the syntax of the file: in proto2 those that
// are neither required nor lists, in proto3 messages, members of a oneof, and what says `optional`.

namespace kitbag::protobuf {

namespace {

/// What .proto files call each FieldType.
constexpr std::array<std::string_view, 19> kWords = {
    "",        "double",   "float",    "int64",  "uint64",  "int32", "fixed64",
    "fixed32", "bool",     "string",   "group",  "message", "bytes", "uint32",
    "enum",    "sfixed32", "sfixed64", "sint32", "sint64"};

/// "uint8[3]", "int16", "wstring<=10[]": the type of a field in the language it was converted from.
struct Declared {
  Kind kind = Kind::any;  ///< any: a message, or not specified
  bool is_array = false;
  std::uint64_t length = 0;  ///< of the list
  std::uint64_t text_bound = 0;
};

std::uint64_t number_in(std::string_view text) {
  std::uint64_t number = 0;
  // 0 if there is no number: the option is anybody's text.
  std::from_chars(text.data(), text.data() + text.size(), number);
  return std::min<std::uint64_t>(number, UINT32_MAX);
}

Declared parse_declared(std::string_view text) {
  Declared declared;
  text = text.substr(0, text.find(' '));
  if (text.ends_with('?')) text.remove_suffix(1);
  std::size_t bracket = std::min(text.find('['), text.size());
  std::string_view list = text.substr(bracket);
  std::string_view element = text.substr(0, bracket);
  std::size_t bound = std::min(element.find("<="), element.size());
  if (bound < element.size()) declared.text_bound = number_in(element.substr(bound + 2));
  declared.kind = kind_named(element.substr(0, bound)).value_or(Kind::any);
  if (list.starts_with("[<=")) {
    declared.length = number_in(list.substr(3));
  } else if (list.size() > 2) {
    declared.is_array = true;
    declared.length = number_in(list.substr(1));
  }
  return declared;
}

class Parser {
 public:
  TypePtr parse(const Symbol& root) {
    const Type& type = of(root);
    // In turn, not one within the other: types may be nested as deep as there are messages.
    for (std::size_t i = 0; i < messages_.size(); ++i) complete(*messages_[i]);
    return builder_.finish(type);
  }

 private:
  const Type& of(const Symbol& symbol) {
    auto [known, is_new] = types_.try_emplace(&symbol);
    if (!is_new) return *known->second;
    Kind kind = symbol.message ? Kind::structure : Kind::enumeration;
    Type& type = builder_.add(kind, full_name(symbol));
    known->second = &type;
    if (symbol.message) {
      messages_.push_back(&symbol);
    } else {
      for (const EnumValue& value : symbol.enumeration->values) {
        type.enumerators.push_back({std::string(value.name), value.number});
      }
    }
    return type;
  }

  void complete(const Symbol& symbol) {
    Type& type = *types_[&symbol];
    type.fields.reserve(symbol.message->fields.size());
    for (const FieldDescriptor& field : symbol.message->fields) {
      type.fields.push_back(made(field, *symbol.file, type));
    }
    type.role = role_of(type);
    for (std::string_view text : symbol.message->constants) take_constant(text, type);
  }

  static Role role_of(const Type& type) {
    if (type.fields.size() != 2) return Role::none;
    if (type.name == "google.protobuf.Timestamp") return Role::time;
    return type.name == "google.protobuf.Duration" ? Role::duration : Role::none;
  }

  static void take_constant(std::string_view text, Type& type) {
    std::size_t space = std::min(text.find(' '), text.size());
    std::size_t sign = std::min(text.find('=', space), text.size());
    std::size_t second = text.find('=', sign + 1);
    auto kind = kind_named(text.substr(0, space));
    if (!kind || second == std::string_view::npos) return;
    std::string_view alias = text.substr(sign + 1, second - sign - 1);
    std::size_t middle = std::min(alias.find(' '), alias.size());
    Constant& constant = type.constants.emplace_back();
    constant.kind = *kind;
    constant.name = text.substr(space + 1, sign - space - 1);
    constant.text = text.substr(second + 1);
    constant.word = alias.substr(0, middle);
    constant.alias.name = alias.substr(std::min(middle + 1, alias.size()));
  }

  /// Whether a reader can tell that the field is missing.
  static bool has_presence(const FieldDescriptor& field, const FileDescriptor& file) {
    if (field.label != Label::optional) return false;
    return (field.target && field.target->message) || field.oneof || field.is_proto3_optional ||
           file.syntax != "proto3";
  }

  Field made(const FieldDescriptor& field, const FileDescriptor& file, const Type& owner) {
    Field made;
    made.name = field.name;
    made.id = static_cast<std::uint32_t>(field.number);
    made.is_optional = has_presence(field, file);
    made.word = kWords[static_cast<std::size_t>(*field.type)];
    Declared declared = field.declared ? parse_declared(*field.declared) : Declared();
    made.type = &type_of(field, declared);
    made.is_sequence = made.name == "seq" && owner.name == "std_msgs.Header";
    if (field.declared) {
      std::string_view text = *field.declared;
      std::size_t space = std::min(text.find(' '), text.size());
      // A message has presence in proto3 whether it was optional where it comes from or not.
      made.is_optional &= text.substr(0, space).ends_with('?');
      std::string_view alias = text.substr(std::min(space + 1, text.size()));
      std::size_t middle = std::min(alias.find(' '), alias.size());
      made.alias = {std::string(alias.substr(std::min(middle + 1, alias.size()))),
                    std::string(alias.substr(0, middle))};
    }
    if (field.default_value) parse_default(field, made.default_value);
    return made;
  }

  const Type& type_of(const FieldDescriptor& field, const Declared& declared) {
    const Type& element = element_of(field, declared);
    bool is_bytes = *field.type == FieldType::bytes;
    bool is_repeated = field.label == Label::repeated;
    if (!is_repeated && !is_bytes) return element;
    const Type& inner = is_bytes && is_repeated ? builder_.sequence(element) : element;
    return declared.is_array ? builder_.array(inner, declared.length)
                             : builder_.sequence(inner, declared.length);
  }

  const Type& element_of(const FieldDescriptor& field, const Declared& declared) {
    if (field.target) return of(*field.target);
    switch (*field.type) {
      case FieldType::bytes:
        return builtin_type(is_byte(declared.kind) ? declared.kind : Kind::uint8);
      case FieldType::text:
        return builder_.text(is_text(declared.kind) ? declared.kind : Kind::text,
                             declared.text_bound);
      default:
        return builtin_type(is_scalar(declared.kind) ? declared.kind : kind_of(*field.type));
    }
  }

  static Kind kind_of(FieldType type) {
    switch (type) {
      case FieldType::int32:
      case FieldType::sint32:
      case FieldType::sfixed32:
        return Kind::int32;
      case FieldType::int64:
      case FieldType::sint64:
      case FieldType::sfixed64:
        return Kind::int64;
      case FieldType::uint32:
      case FieldType::fixed32:
        return Kind::uint32;
      case FieldType::uint64:
      case FieldType::fixed64:
        return Kind::uint64;
      case FieldType::real32:
        return Kind::float32;
      case FieldType::real64:
        return Kind::float64;
      default:
        return Kind::boolean;
    }
  }

  TypeBuilder builder_;
  std::map<const Symbol*, Type*> types_;
  std::vector<const Symbol*> messages_;  ///< whose types are begun, in turn
};

}  // namespace

TypePtr parse(const Schema& schema) {
  auto fail = [&](ErrorCode code, const std::string& what) {
    throw Error(code, fmt::format("definition of {}: {}", printable(schema.name), what));
  };
  if (schema.text.size() > kMaxSetBytes) {
    fail(ErrorCode::corrupt, fmt::format("it has more than {} bytes", kMaxSetBytes));
  }
  Files files;
  Symbols symbols;
  try {
    files = read_files(schema.text);
    link(files, symbols);
  } catch (const Error& error) {
    fail(error.code(), error.message());
  }
  const Symbol* root = symbols.descend(symbols.root(), schema.name);
  bool is_there = root && root->message;
  if (!is_there) fail(ErrorCode::not_found, "its FileDescriptorSet does not contain the message");
  return Parser().parse(*root);
}

}  // namespace kitbag::protobuf
