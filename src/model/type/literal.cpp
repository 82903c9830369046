#include "model/type/literal.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/lines.h"
#include "kitbag/error.h"

// The type decides what a text is, as in rosidl_adapter: 1 is true for a bool, a text for a string.
// A number that its type cannot hold is an error of the definition, or of a rule; nothing is cut
// off. Integers have the prefixes of Python, 0x, 0o and 0b.

namespace kitbag {

namespace {

/// The largest value of an integer, or without its sign the smallest one.
std::uint64_t most_of(Kind kind, bool is_negative) {
  bool is_signed =
      kind == Kind::int8 || kind == Kind::int16 || kind == Kind::int32 || kind == Kind::int64;
  if (!is_signed && is_negative) return 0;
  auto bits = static_cast<unsigned>(8 * scalar_bytes(kind)) - (is_signed ? 1U : 0U);
  return (UINT64_MAX >> (64 - bits)) + (is_negative ? 1 : 0);
}

Literal integer_of(const Type& type, std::string_view text) {
  std::string_view digits = text;
  bool is_negative = digits.starts_with('-');
  if (is_negative || digits.starts_with('+')) digits.remove_prefix(1);
  int base = 10;
  for (auto [prefix, its_base] : {std::pair{"0x", 16}, {"0o", 8}, {"0b", 2}, {"0X", 16}}) {
    if (!digits.starts_with(prefix)) continue;
    base = its_base;
    digits.remove_prefix(2);
  }
  std::uint64_t value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  bool is_number = error == std::errc() && !digits.empty() && end == digits.data() + digits.size();
  if (!is_number) {
    throw Error(ErrorCode::corrupt, fmt::format("'{}' is not an integer", printable(text)));
  }
  if (value > most_of(type.kind, is_negative)) {
    throw Error(ErrorCode::corrupt,
                fmt::format("'{}' is out of the range of {}", printable(text), type_name(type)));
  }
  if (type.kind == Kind::uint64) return Literal{value};
  return Literal{static_cast<std::int64_t>(is_negative ? 0 - value : value)};
}

Literal real_of(std::string_view text) {
  double value = 0;
  std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc() && end == digits.data() + digits.size()) return Literal{value};
  throw Error(ErrorCode::corrupt, fmt::format("'{}' is not a number", printable(text)));
}

Literal boolean_of(std::string_view text) {
  for (std::string_view yes : {"true", "True", "TRUE", "1"}) {
    if (text == yes) return Literal{true};
  }
  for (std::string_view no : {"false", "False", "FALSE", "0"}) {
    if (text == no) return Literal{false};
  }
  throw Error(ErrorCode::corrupt, fmt::format("'{}' is neither true nor false", printable(text)));
}

/// In quotes, with \\, \' and \" meaning what stands behind the backslash; or as it is.
Literal text_of(std::string_view text) {
  bool is_quoted = text.size() >= 2 && (text.front() == '\'' || text.front() == '"') &&
                   text.back() == text.front();
  if (!is_quoted) return Literal{std::string(text)};
  std::string value;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    bool is_escape = text[i] == '\\' && i + 2 < text.size() &&
                     (text[i + 1] == '\\' || text[i + 1] == text.front());
    if (is_escape) ++i;
    value += text[i];
  }
  return Literal{std::move(value)};
}

/// Where the quotes end that `text` begins with.
std::size_t end_of_quotes(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == text.front()) return i;
    if (text[i] == '\\') ++i;
  }
  return text.size();
}

Literal list_of(const Type& type, std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') {
    throw Error(ErrorCode::corrupt, fmt::format("'{}' is not a list", printable(text)));
  }
  text = trimmed(text.substr(1, text.size() - 2));
  std::vector<Literal> values;
  while (!text.empty()) {
    // A comma within quotes does not separate.
    bool is_quoted = text.front() == '\'' || text.front() == '"';
    std::size_t from = is_quoted ? end_of_quotes(text) : 0;
    std::size_t comma = std::min(text.find(',', from), text.size());
    values.push_back(parse_literal(*type.element, trimmed(text.substr(0, comma))));
    text = trimmed(text.substr(std::min(comma + 1, text.size())));
  }
  return Literal{std::move(values)};
}

}  // namespace

Literal parse_literal(const Type& type, std::string_view text) {
  if (is_list(type.kind)) return list_of(type, text);
  if (is_text(type.kind)) return text_of(text);
  if (type.kind == Kind::boolean) return boolean_of(text);
  if (is_real(type.kind)) return real_of(text);
  if (is_integer(type.kind)) return integer_of(type, text);
  throw Error(ErrorCode::corrupt, fmt::format("a {} cannot have a default", type_name(type)));
}

}  // namespace kitbag
