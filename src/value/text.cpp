#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "base/yaml.h"
#include "kitbag/base64.h"
#include "kitbag/error.h"
#include "kitbag/text.h"
#include "kitbag/value_text.h"
#include "value/fit.h"

// YAML leaves open what a scalar is: `yes` is a boolean to some and a text to others. Here the type
// decides, so a text needs no quotes and a number is never taken for one. What the type does not
// say, such as an unknown field, is passed on as it is: fit() refuses it with the names that there
// are.
//
// JSON is read as the YAML that it also is.
//
// Short forms, beside maps of fields by name:
//
//     [1, 2, 3]      for a structure: its fields in their order
//     now, auto      for a time, and for a structure with a `stamp`, such as a header
//     2026-11-20     for a time, also with a time of the day, or as seconds
//     1.5s           for a duration
//     AQID           for a list of bytes: base64

namespace kitbag {

namespace {

/// A message of defaults alone may have this many values.
constexpr std::uint32_t kMostDefaults = 1 << 24;
constexpr std::string_view kStamp = "stamp";

template <class Number>
std::optional<Number> whole(std::string_view text, int base = 10) {
  Number number{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  return std::nullopt;
}

/// An integer of any sign and size, also as 0x1f.
std::optional<Value> integer(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.starts_with("0x") || text.starts_with("0X")) {
    auto number = whole<std::uint64_t>(text.substr(2), 16);
    return number ? std::optional<Value>(*number) : std::nullopt;
  }
  if (auto number = whole<std::int64_t>(text)) return Value(*number);
  if (auto number = whole<std::uint64_t>(text)) return Value(*number);
  return std::nullopt;
}

std::optional<double> real(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  bool is_negative = text.starts_with('-');
  std::string word(text.substr(is_negative ? 1 : 0));
  std::transform(word.begin(), word.end(), word.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (word.starts_with('.') && word.size() == 4) word.erase(0, 1);  // as YAML has them
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (word == "inf" || word == "infinity") return is_negative ? -kInfinity : kInfinity;
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  double number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  return std::nullopt;
}

std::optional<bool> boolean(const std::string& text) {
  for (const char* word : {"true", "True", "TRUE", "yes", "Yes", "on", "On", "1"}) {
    if (text == word) return true;
  }
  for (const char* word : {"false", "False", "FALSE", "no", "No", "off", "Off", "0"}) {
    if (text == word) return false;
  }
  return std::nullopt;
}

bool is_now(const Yaml& node) {
  return node.is_scalar() && (node.scalar == "now" || node.scalar == "auto");
}

const Field* field_called(const Type& type, std::string_view name) {
  for (const Field& field : type.fields) {
    if (field.name == name) return &field;
  }
  if (type.role == Role::none || type.fields.size() != 2) return nullptr;
  for (const char* seconds : {"sec", "secs"}) {  // the two numbers have many names
    if (name == seconds) return type.fields.data();
  }
  for (const char* rest : {"nsec", "nsecs", "nanosec"}) {
    if (name == rest) return &type.fields[1];
  }
  return nullptr;
}

const Field* stamp_of(const Type& type) {
  const Field* stamp = field_called(type, kStamp);
  return stamp && stamp->type->role == Role::time ? stamp : nullptr;
}

Value structure(std::vector<std::string> names, std::vector<Value> values) {
  auto made = std::make_shared<Value::Structure>();
  made->names = std::move(names);
  made->values = std::move(values);
  return {builtin_type(Kind::any), std::move(made)};
}

class Converter {
 public:
  explicit Converter(Time now) : now_(now) {}

  bool uses_now() const { return uses_now_; }

  Value convert(const Yaml& node, const Type& type) {
    if (!node || node.is_null()) return Value::of(type);
    if (is_compound(type.kind)) return compound(node, type);
    if (is_list(type.kind)) return list(node, type);
    if (type.kind == Kind::any) return guessed(node);
    if (!node.is_scalar()) {
      refuse(fmt::format("expected {}, got a {}", type_name(type),
                         node.is_list() ? "list" : "structure"));
    }
    return scalar(node.scalar, type);
  }

  /// The fields of a structure in their order.
  Value fields(const std::vector<Yaml>& nodes, const Type& type) {
    if (nodes.size() != type.fields.size()) {
      refuse(fmt::format("expected {} values for the fields of {}, got {}", type.fields.size(),
                         type_name(type), nodes.size()));
    }
    std::vector<std::string> names;
    std::vector<Value> values;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      names.push_back(type.fields[i].name);
      values.push_back(field(nodes[i], type.fields[i]));
    }
    return structure(std::move(names), std::move(values));
  }

 private:
  [[noreturn]] static void refuse(const std::string& what) {
    throw Error(ErrorCode::invalid, what);
  }

  Value scalar(const std::string& text, const Type& type) {
    if (is_text(type.kind)) return Value(text);
    if (type.kind == Kind::boolean) {
      if (auto value = boolean(text)) return Value(*value);
    } else if (is_real(type.kind)) {
      if (auto value = real(text)) return Value(*value);
    } else if (auto value = integer(text)) {
      return std::move(*value);
    } else if (type.kind == Kind::enumeration) {
      return Value(text);  // its name
    } else if (type.kind == Kind::character && text.size() == 1) {
      return Value(static_cast<std::uint64_t>(static_cast<unsigned char>(text.front())));
    }
    refuse(fmt::format("expected {}, got \"{}\"", type_name(type), text));
  }

  Value list(const Yaml& node, const Type& type) {
    if (node.is_scalar() && is_byte(type.element->kind)) {
      auto bytes = decode_base64(node.scalar);
      if (!bytes) refuse("expected a list of bytes, or base64");
      std::string text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
      return Value(std::move(text));
    }
    if (!node.is_list()) refuse(fmt::format("expected {}: a list", type_name(type)));
    Value::List values;
    values.reserve(node.parts.size());
    for (std::size_t i = 0; i < node.parts.size(); ++i) {
      values.push_back(
          at(fmt::format("[{}]", i), [&] { return convert(node.parts[i], *type.element); }));
    }
    return Value(std::move(values));
  }

  Value compound(const Yaml& node, const Type& type) {
    if (node.is_list() && type.kind == Kind::structure) return fields(node.parts, type);
    if (node.is_map()) return map(node, type);
    if (type.role != Role::none && node.is_scalar()) return moment(node.scalar, type);
    const Field* stamp = stamp_of(type);
    if (stamp && is_now(node)) return structure({stamp->name}, {moment(node.scalar, *stamp->type)});
    refuse(fmt::format("expected the fields of {}", type_name(type)));
  }

  Value map(const Yaml& node, const Type& type) {
    std::vector<std::string> names;
    std::vector<Value> values;
    for (std::size_t i = 0; i + 1 < node.parts.size(); i += 2) {
      const std::string& name = node.parts[i].scalar;
      const Field* known = field_called(type, name);
      names.push_back(known ? known->name : name);
      values.push_back(known ? field(node.parts[i + 1], *known) : guessed(node.parts[i + 1]));
    }
    return structure(std::move(names), std::move(values));
  }

  Value field(const Yaml& node, const Field& field) {
    return at("." + field.name, [&] { return convert(node, *field.type); });
  }

  /// A time or a duration as one word, in nanoseconds.
  Value moment(const std::string& text, const Type& type) {
    if (type.role == Role::duration) return Value(parse_duration(text).count());
    if (text == "now" || text == "auto") {
      uses_now_ = true;
      return Value(to_ns(now_));
    }
    TimePoint point = parse_time(text);
    // "+5s" and "-5s" count from now, since there is no bag here.
    uses_now_ |= point.from != TimePoint::From::epoch;
    return Value(to_ns(point.resolve(now_, now_)));
  }

  /// Without a type.
  static Value guessed(const Yaml& node) {
    if (node.is_list()) {
      Value::List values;
      for (const Yaml& part : node.parts) values.push_back(guessed(part));
      return Value(std::move(values));
    }
    if (node.is_map()) {
      std::vector<std::string> names;
      std::vector<Value> values;
      for (std::size_t i = 0; i + 1 < node.parts.size(); i += 2) {
        names.push_back(node.parts[i].scalar);
        values.push_back(guessed(node.parts[i + 1]));
      }
      return structure(std::move(names), std::move(values));
    }
    if (!node.is_scalar()) return {};
    if (node.scalar == "true" || node.scalar == "false") return Value(node.scalar == "true");
    if (auto number = integer(node.scalar)) return std::move(*number);
    if (auto number = real(node.scalar)) return Value(*number);
    return Value(node.scalar);
  }

  /// Puts the path of a part in front of what is wrong with it.
  template <class Make>
  static Value at(const std::string& path, const Make& make) {
    try {
      return make();
    } catch (const Error& error) {
      throw Error(error.code(), under(path, error.message()));
    }
  }

  Time now_;
  bool uses_now_ = false;
};

Yaml node_of(const std::string& text) {
  try {
    return load_yaml(text);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::corrupt) throw;
    throw Error(ErrorCode::invalid,
                fmt::format("\"{}\" is neither YAML nor JSON: {}", text, error.message()));
  }
}

}  // namespace

Value parse_value(const std::vector<std::string>& texts, const Type& type, Time now,
                  bool* uses_now) {
  if (type.default_values > kMostDefaults) {
    throw Error(ErrorCode::limit, fmt::format("the defaults of {} have {} values", type_name(type),
                                              type.default_values));
  }
  std::vector<Yaml> nodes;
  nodes.reserve(texts.size());
  for (const std::string& text : texts) nodes.push_back(node_of(text));
  Converter converter(now);
  Value value;
  // As `rostopic pub` takes them: several values are those of the fields in their order, and a
  // single word is the value of a single field.
  if (nodes.empty()) {
    value = Value::of(type);
  } else if (nodes.size() > 1 || (nodes.front().is_scalar() && type.fields.size() == 1)) {
    value = converter.fields(nodes, type);
  } else {
    value = converter.convert(nodes.front(), type);
  }
  value = fit(value, type);
  if (uses_now) *uses_now = converter.uses_now();
  return value;
}

}  // namespace kitbag
