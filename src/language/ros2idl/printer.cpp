#include "language/ros2idl/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "kitbag/error.h"

// The whole definition is one text without separators: IDL wants a type to be declared before it is
// used, so types come deepest first, each in modules that are opened for it again. Names that are
// words of IDL are escaped by an underscore, which readers take away. Constants stand in a module
// in front of their structure, where rosidl puts them.
//
// For example:
//
//     module my_msgs {
//       module msg {
//         module Mode_Constants {
//           const uint8 IDLE = 0;
//         };
//         struct Mode {
//           uint8 value;
//         };
//       };
//     };

namespace kitbag::ros2idl {

namespace {

/// Words of IDL that a field may be called nevertheless, with an underscore in front.
constexpr std::array<std::string_view, 40> kWords = {
    "abstract", "any",    "attribute", "bitfield",  "bitmask", "bitset",  "boolean",   "case",
    "char",     "const",  "context",   "default",   "double",  "enum",    "exception", "fixed",
    "float",    "in",     "inout",     "interface", "local",   "long",    "map",       "module",
    "native",   "octet",  "oneway",    "out",       "private", "public",  "raises",    "sequence",
    "short",    "string", "struct",    "supports",  "switch",  "typedef", "union",     "unsigned"};

std::string identifier(const std::string& name) {
  bool is_word = std::find(kWords.begin(), kWords.end(), name) != kWords.end();
  return is_word || name.starts_with('_') ? "_" + name : name;
}

std::string quoted(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n') {
      quoted += "\\n";
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts(1);
  for (char c : name) {
    if (c == '/') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::string scoped(const std::string& name) {
  return fmt::format("{}", fmt::join(parts_of(name), "::"));
}

std::string_view word_of(Kind kind) {
  switch (kind) {
    case Kind::boolean:
      return "boolean";
    case Kind::octet:
      return "octet";
    case Kind::character:
      return "char";
    case Kind::wide_char:
      return "wchar";
    case Kind::float32:
      return "float";
    case Kind::float64:
      return "double";
    default:
      return kind_name(kind);  // int8 to uint64, string, wstring
  }
}

std::string spec(const Type& type) {
  if (type.kind == Kind::sequence) {
    std::string bound = type.length > 0 ? fmt::format(", {}", type.length) : "";
    return fmt::format("sequence<{}{}>", spec(*type.element), bound);
  }
  if (type.kind == Kind::structure) return scoped(type.name);
  // Dimensions stand behind the name of a member, so an array in a sequence would need a typedef.
  if (type.kind == Kind::array) {
    throw Error(ErrorCode::unsupported,
                fmt::format("IDL does not support unnamed lists of {}", type_name(type)));
  }
  std::string bound = is_text(type.kind) && type.length > 0 ? fmt::format("<{}>", type.length) : "";
  return std::string(word_of(type.kind)) + bound;
}

class Printer {
 public:
  std::string print(const Type& root) {
    add(root);
    return std::move(text_);
  }

 private:
  void add(const Type& type) {
    if (!added_.insert(&type).second) return;
    for (const Field& field : type.fields) {
      const Type* part = field.type;
      while (is_list(part->kind)) part = part->element;
      if (part->kind == Kind::structure) add(*part);
    }
    auto parts = parts_of(type.name);
    std::string own = parts.back();
    parts.pop_back();
    for (const std::string& part : parts) line(fmt::format("module {} {{", part)), ++indent_;
    constants(type, own);
    structure(type, own);
    for (std::size_t i = 0; i < parts.size(); ++i) --indent_, line("};");
  }

  void line(const std::string& text) { text_ += std::string(2 * indent_, ' ') + text + '\n'; }

  void constants(const Type& type, const std::string& own) {
    if (type.constants.empty()) return;
    line(fmt::format("module {}_Constants {{", own));
    ++indent_;
    for (const Constant& constant : type.constants) {
      line(fmt::format("const {} {} = {};", word_of(constant.kind), identifier(constant.name),
                       value_of(constant)));
    }
    --indent_;
    line("};");
  }

  static std::string value_of(const Constant& constant) {
    if (is_text(constant.kind)) return quoted(constant.text);
    if (constant.kind != Kind::boolean) return constant.text;
    bool is_true = constant.text == "true" || constant.text == "True" || constant.text == "1" ||
                   constant.text == "TRUE";
    return is_true ? "TRUE" : "FALSE";
  }

  void structure(const Type& type, const std::string& own) {
    line(fmt::format("struct {} {{", own));
    ++indent_;
    for (const Field& field : type.fields) member(field);
    if (type.fields.empty()) line("uint8 structure_needs_at_least_one_member;");
    --indent_;
    line("};");
  }

  void member(const Field& field) {
    if (field.is_key) line("@key");
    if (field.is_optional) line("@optional");
    if (field.default_value && !is_list(field.type->kind)) {
      line(fmt::format("@default (value={})", default_of(*field.default_value)));
    }
    const Type* type = field.type;
    std::string dimensions;
    for (; type->kind == Kind::array; type = type->element) {
      dimensions += fmt::format("[{}]", type->length);
    }
    line(fmt::format("{} {}{};", spec(*type), identifier(field.name), dimensions));
  }

  static std::string default_of(const Literal& literal) {
    if (const auto* truth = std::get_if<bool>(&literal.value)) return *truth ? "TRUE" : "FALSE";
    if (const auto* number = std::get_if<std::int64_t>(&literal.value)) {
      return std::to_string(*number);
    }
    if (const auto* natural = std::get_if<std::uint64_t>(&literal.value)) {
      return std::to_string(*natural);
    }
    if (const auto* real = std::get_if<double>(&literal.value)) return fmt::format("{}", *real);
    const auto* text = std::get_if<std::string>(&literal.value);
    return text ? quoted(*text) : "0";
  }

  std::string text_;
  std::size_t indent_ = 0;
  std::set<const Type*> added_;
};

}  // namespace

std::string print(const Type& type) {
  return Printer().print(type);
}

}  // namespace kitbag::ros2idl
