#include "sql/time_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <optional>

#include "kitbag/error.h"

// Bounds only have to be safe: SQLite checks each row again. So what cannot be looked up is
// ignored, and a bound that is too wide costs time, not correctness. Query::end is exclusive, so <=
// becomes the time one nanosecond later. Real numbers are rounded toward the range: time > 1.5
// begins at 2.
//
// A letter for each condition is all that the plan hands over, in the order of the values.

namespace kitbag::sql {

namespace {

constexpr char kNone = 0;

char letter_of(unsigned char operation) {
  switch (operation) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
      return '=';
    case SQLITE_INDEX_CONSTRAINT_GT:
      return '>';
    case SQLITE_INDEX_CONSTRAINT_GE:
      return 'g';
    case SQLITE_INDEX_CONSTRAINT_LT:
      return '<';
    case SQLITE_INDEX_CONSTRAINT_LE:
      return 'l';
    default:
      return kNone;
  }
}

/// The first time that is not before `value`, or with `is_behind` the first one behind it. Nothing:
/// the value is no number, or no time is.
std::optional<Time> first_time(sqlite3_value* value, bool is_behind) {
  if (sqlite3_value_type(value) == SQLITE_INTEGER) {
    std::int64_t number = sqlite3_value_int64(value);
    if (!is_behind) return from_ns(number);
    if (number == std::numeric_limits<std::int64_t>::max()) return std::nullopt;
    return from_ns(number + 1);
  }
  if (sqlite3_value_type(value) != SQLITE_FLOAT) return std::nullopt;
  double number = sqlite3_value_double(value);
  constexpr double kMost = 9.2e18;  // beyond it doubles do not fit
  if (!(number > -kMost && number < kMost)) return std::nullopt;
  // Of a double of today, the next one is 256 ns later: 1 is added to the integer.
  if (!is_behind) return from_ns(static_cast<std::int64_t>(std::ceil(number)));
  return from_ns(static_cast<std::int64_t>(std::floor(number)) + 1);
}

/// In SQLite every number is less than every text, so the comparison would be true of all rows or
/// of none.
void require_number(sqlite3_value* value) {
  if (sqlite3_value_type(value) != SQLITE_TEXT) return;
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  if (!text) throw std::bad_alloc();
  throw Error(ErrorCode::invalid,
              fmt::format("the column time is in nanoseconds since 1970, not a text; compare it "
                          "with time_ns('{}')",
                          text));
}

}  // namespace

std::string take_time_conditions(sqlite3_index_info& query, int time_column, int& argument) {
  std::string letters;
  for (int i = 0; i < query.nConstraint; ++i) {
    const auto& condition = query.aConstraint[i];
    char letter = letter_of(condition.op);
    if (!condition.usable || condition.iColumn != time_column || letter == kNone) continue;
    query.aConstraintUsage[i].argvIndex = argument++;
    letters += letter;
  }
  return letters;
}

double rows_in_time(const std::string& conditions, double rows) {
  if (conditions.empty()) return rows;
  return conditions.find('=') == std::string::npos ? rows / 10 : rows / 1e5;
}

bool is_by_time(const sqlite3_index_info& query, int time_column) {
  return query.nOrderBy == 1 && query.aOrderBy[0].iColumn == time_column && !query.aOrderBy[0].desc;
}

void apply_time_conditions(const std::string& conditions, std::span<sqlite3_value*> values,
                           Query& query) {
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    require_number(values[i]);
    char letter = conditions[i];
    bool has_begin = letter == '=' || letter == '>' || letter == 'g';
    bool has_end = letter == '=' || letter == '<' || letter == 'l';
    if (has_begin) {
      auto begin = first_time(values[i], letter == '>');
      if (begin) query.begin = std::max(query.begin, *begin);
    }
    if (has_end) {
      auto end = first_time(values[i], letter != '<');
      if (end) query.end = std::min(query.end, *end);
    }
  }
}

}  // namespace kitbag::sql
