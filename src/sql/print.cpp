#include "sql/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "kitbag/base64.h"
#include "kitbag/columns.h"
#include "kitbag/escape.h"
#include "sql/answer_columns.h"
#include "sql/names.h"

// Rows leave in pieces of kPieceBytes, so that a client sees the first rows of a long query early.
// JSON has no NaN and no bytes: they become null and base64. Names of columns may occur twice in
// SQL, but keys of an object may not, so they get numbers.

namespace kitbag::sql {

namespace {

/// Texts are handed on in pieces of about this size.
constexpr std::size_t kPieceBytes = 64 << 10;

std::string csv_quoted(std::string_view text) {
  if (text.find_first_of("\",\r\n") == std::string_view::npos) return std::string(text);
  std::string all = "\"";
  for (char c : text) {
    if (c == '"') all += '"';
    all += c;
  }
  return all + '"';
}

struct CsvCell {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return fmt::format("{}", value); }
  std::string operator()(std::string_view value) const { return csv_quoted(value); }
  std::string operator()(ByteView value) const { return encode_base64(value); }
};

struct JsonCell {
  std::string operator()(std::monostate) const { return "null"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const {
    return std::isfinite(value) ? fmt::format("{}", value) : "null";
  }
  std::string operator()(std::string_view value) const { return json_quoted(value); }
  std::string operator()(ByteView value) const { return '"' + encode_base64(value) + '"'; }
};

void print_csv(Answer& answer, const TextOut& out) {
  std::string text;
  std::size_t columns = 0;
  for (const std::string& name : answer.names()) {
    if (columns++ > 0) text += ',';
    text += csv_quoted(name);
  }
  text += '\n';
  while (answer.next()) {
    for (std::size_t i = 0; i < columns; ++i) {
      if (i > 0) text += ',';
      text += std::visit(CsvCell(), answer.value(i));
    }
    text += '\n';
    if (text.size() >= kPieceBytes) out.write(std::exchange(text, {}));
  }
  out.write(text);
}

void print_json(Answer& answer, bool is_array, const TextOut& out) {
  std::vector<std::string> keys;
  for (const std::string& name : unique_names(answer.names()))
    keys.push_back(json_quoted(name) + ':');
  std::string text = is_array ? "[" : "";
  bool has_row = false;
  while (answer.next()) {
    if (is_array) text += has_row ? ",\n" : "\n";
    has_row = true;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      text += i == 0 ? '{' : ',';
      text += keys[i] + std::visit(JsonCell(), answer.value(i));
    }
    text += '}';
    if (!is_array) text += '\n';
    if (text.size() >= kPieceBytes) out.write(std::exchange(text, {}));
  }
  if (is_array) text += has_row ? "\n]\n" : "]\n";
  out.write(text);
}

void print_arrow(Answer& answer, const TextOut& out) {
  Columns* columns = answer.columns();
  std::unique_ptr<Columns> made = columns ? nullptr : columns_of(answer);
  std::string piece;
  // Arrow's parts may be of any size; a text that is handed on is not larger than a piece.
  auto take = [&](ByteView bytes) {
    while (!bytes.empty()) {
      ByteView part = bytes.first(std::min(bytes.size(), kPieceBytes - piece.size()));
      piece += as_text(part);
      bytes = bytes.subspan(part.size());
      if (piece.size() == kPieceBytes) out.write(std::exchange(piece, {}));
    }
  };
  write_arrow_ipc(columns ? *columns : *made, take);
  out.write(piece);
}

}  // namespace

void print(Answer& answer, AnswerFormat format, const TextOut& out) {
  if (format == AnswerFormat::csv) return print_csv(answer, out);
  if (format == AnswerFormat::arrow) return print_arrow(answer, out);
  print_json(answer, format == AnswerFormat::json, out);
}

}  // namespace kitbag::sql
