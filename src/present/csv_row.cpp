#include "present/csv_row.h"

#include <fmt/format.h>

#include "kitbag/escape.h"
#include "kitbag/text.h"

namespace kitbag {
namespace {

/// Longer lists are one cell.
constexpr std::uint64_t kMostColumnsOfList = 64;

/// A value in the form of RFC 4180.
std::string csv_quoted(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

/// As escaped_lines(), but carriage returns stay.
std::string escaped_in_lines(std::string_view text) {
  std::string lines;
  while (true) {
    std::size_t end = text.find('\r');
    lines += escaped_lines(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    lines += '\r';
    text.remove_prefix(end + 1);
  }
}

}  // namespace

bool has_columns(const Type& type) {
  return type.kind == Kind::array && is_scalar(type.element->kind) &&
         type.length <= kMostColumnsOfList;
}

std::string time_cell(std::int64_t ns, TimeFormat format) {
  if (format == TimeFormat::ns) return std::to_string(ns);
  if (format == TimeFormat::iso) return format_time(from_ns(ns));
  return format_seconds(from_ns(ns));
}

std::string CsvTexts::cell(std::string_view text, std::size_t& replaced) const {
  std::string valid = valid_utf8(text, &replaced);
  std::string shown = is_terminal_ ? escaped(valid) : escaped_in_lines(valid);
  // A spreadsheet would evaluate them as a formula, which may send data to somebody.
  bool is_formula = std::string_view("=+-@\t\r").find(shown.empty() ? ' ' : shown.front()) !=
                    std::string_view::npos;
  return csv_quoted(is_formula && escapes_formulas_ ? "'" + shown : shown);
}

void CsvRow::close() {
  // What is left open is still inside of the same cell.
  if (--depth_ > 0) return;
  put(csv_quoted(as_text(json_.end())));
  replaced_ += json_.replaced_bytes() - replaced_in_json_;
  maker_.arena.drop();
}

void CsvRow::put_time() {
  constexpr std::int64_t kNsPerSecond = 1'000'000'000;
  std::int64_t ns = 0;
  bool is_valid = !__builtin_mul_overflow(time_->seconds, kNsPerSecond, &ns) &&
                  !__builtin_add_overflow(ns, time_->ns, &ns);
  TimeFormat format = is_duration_ ? TimeFormat::seconds : time_format_;
  put(is_valid ? time_cell(ns, format) : "");
  time_.reset();
}

}  // namespace kitbag
