#include "storage/sqlite3/pages/create_statement.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <initializer_list>

// SQLite keeps the text of CREATE TABLE and edits it when columns are added, renamed or dropped, so
// it always describes the records:
//
//     CREATE TABLE name ( column, column, ..., constraint, ... ) options
//     column:  name type constraints      "NOT NULL", "DEFAULT 5", "AS (expression) STORED", ...
//
// Only names, defaults and whether a column is stored matter here. A comma within parentheses
// separates no columns. The DEFAULT of a column that was added is a literal: SQLite adds no other.

namespace kitbag::sqlite3 {

namespace {

struct Token {
  enum class Kind { word, quoted, symbol, end, bad };

  Kind kind = Kind::end;
  std::string text;  ///< without quotes

  bool is(std::string_view word) const {
    return (kind == Kind::word || kind == Kind::symbol) && is_same_name(text, word);
  }
  bool is_name() const { return kind == Kind::word || kind == Kind::quoted; }
};

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_word_part(char c) {
  return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         c == '.' || static_cast<unsigned char>(c) >= 0x80;
}

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view sql) : rest_(sql) {}

  Token next() {
    skip_blank();
    if (rest_.empty()) return {};
    char first = rest_.front();
    if (first == '\'' || first == '"' || first == '`' || first == '[') return quoted();
    std::size_t length = 0;
    while (length < rest_.size() && is_word_part(rest_[length])) ++length;
    auto kind = length > 0 ? Token::Kind::word : Token::Kind::symbol;
    length = std::max<std::size_t>(length, 1);
    Token token{kind, std::string(rest_.substr(0, length))};
    rest_.remove_prefix(length);
    return token;
  }

 private:
  void skip_blank() {
    while (!rest_.empty()) {
      std::size_t blank = is_space(rest_.front()) ? 1 : 0;
      if (rest_.starts_with("--")) blank = behind(rest_.find('\n'), 1);
      if (rest_.starts_with("/*")) blank = behind(rest_.find("*/", 2), 2);
      if (blank == 0) return;
      rest_.remove_prefix(blank);
    }
  }
  std::size_t behind(std::size_t at, std::size_t length) const {
    return at == std::string_view::npos ? rest_.size() : at + length;
  }
  /// A quote within the text is written twice.
  Token quoted() {
    char end = rest_.front() == '[' ? ']' : rest_.front();
    Token token{Token::Kind::quoted, {}};
    for (std::size_t at = 1; at < rest_.size(); ++at) {
      if (rest_[at] == end) {
        bool is_doubled = end != ']' && at + 1 < rest_.size() && rest_[at + 1] == end;
        if (!is_doubled) {
          rest_.remove_prefix(at + 1);
          return token;
        }
        ++at;
      }
      token.text += rest_[at];
    }
    return {Token::Kind::bad, {}};
  }

  std::string_view rest_;
};

/// The tokens of a column or a constraint.
using Tokens = std::vector<Token>;

bool is_constraint(const Tokens& tokens) {
  return std::ranges::any_of(
      std::initializer_list<const char*>{"CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"},
      [&](const char* word) { return tokens[0].is(word); });
}

/// The literal whose tokens begin at `at`.
DefaultValue default_of(const Tokens& tokens, std::size_t at) {
  DefaultValue value;
  bool is_negative = false;
  while (at < tokens.size() && (tokens[at].is("+") || tokens[at].is("-") || tokens[at].is("("))) {
    is_negative ^= tokens[at++].is("-");
  }
  if (at == tokens.size() || tokens[at].is("NULL")) return value;
  const Token& token = tokens[at];
  bool is_blob = token.is("X") && at + 1 < tokens.size() && tokens[at + 1].is_name();
  if (is_blob) return value;
  value.text = (is_negative ? "-" : "") + token.text;
  if (token.is("TRUE") || token.is("FALSE")) value.text = token.is("TRUE") ? "1" : "0";
  std::int64_t number = 0;
  const char* end = value.text.data() + value.text.size();
  auto parsed = std::from_chars(value.text.data(), end, number);
  if (parsed.ec == std::errc() && parsed.ptr == end) value.integer = number;
  return value;
}

DeclaredColumn declared_column(const Tokens& tokens) {
  DeclaredColumn column;
  column.name = tokens[0].text;
  bool is_computed = false;
  bool is_kept = false;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    is_computed |= tokens[i].is("AS");
    is_kept |= tokens[i].is("STORED");
    if (tokens[i].is("DEFAULT")) column.value = default_of(tokens, i + 1);
  }
  column.is_stored = !is_computed || is_kept;
  return column;
}

}  // namespace

bool is_same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::optional<DeclaredTable> parse_create_table(std::string_view sql) {
  Tokenizer tokenizer(sql);
  if (!tokenizer.next().is("CREATE") || !tokenizer.next().is("TABLE")) return std::nullopt;
  if (!tokenizer.next().is_name() || !tokenizer.next().is("(")) return std::nullopt;
  DeclaredTable table;
  Tokens tokens;
  bool has_constraints = false;
  auto take = [&] {
    if (tokens.empty() || !tokens[0].is_name()) return false;
    has_constraints |= is_constraint(tokens);
    if (!has_constraints) table.columns.push_back(declared_column(tokens));
    tokens.clear();
    return true;
  };
  int depth = 1;
  while (depth > 0) {
    Token token = tokenizer.next();
    if (token.kind == Token::Kind::end || token.kind == Token::Kind::bad) return std::nullopt;
    if (token.is("(")) ++depth;
    if (token.is(")")) --depth;
    bool ends_column = depth == 0 || (depth == 1 && token.is(","));
    if (ends_column && !take()) return std::nullopt;
    if (!ends_column) tokens.push_back(std::move(token));
  }
  for (Token token = tokenizer.next(); token.kind != Token::Kind::end; token = tokenizer.next()) {
    if (token.kind == Token::Kind::bad) return std::nullopt;
    if (token.is("WITHOUT")) table.has_row_ids = false;
  }
  return table;
}

}  // namespace kitbag::sqlite3
