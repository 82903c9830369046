#include "sql/field_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string_view>

#include "sql/arrow_value.h"

// For each row that SQLite drops itself, it runs a dozen steps of its machine. Here, a column of a
// batch is compared in one loop, and SQLite gets only what may match. It still checks these rows,
// so a condition may keep too much here, but it must not drop what SQLite would keep. That is why
// only plain cases are known: numbers with numbers, and texts with texts that no affinity makes a
// number of.
//
// Conditions become closed ranges: x > 5 is [6, max] for integers and [the next double above 5,
// inf] for real numbers, a list is many short ranges. So there is one loop for all operations, and
// no search if there is only one range. An integer beyond 2^53 is rounded as a double, so its range
// is one double wider on both sides: SQLite compares exactly and decides.
//
// NaN is NULL for SQLite. It is in no range, and is dropped without a special case.

namespace kitbag::sql {

namespace {

constexpr char kNotTaken = 0;
constexpr char kIn = 'i';
/// A longer list is left to SQLite, which has it in memory already.
constexpr std::size_t kLongestList = 10'000;
/// Since then, a list can be handed over as a whole (sqlite3_vtab_in). Before, SQLite would scan
/// the table once for each of its values.
constexpr int kVersionWithLists = 3'038'000;
/// SQLite looks after so many conditions of a table only, for lists.
constexpr int kMostWithLists = 32;
/// Integers up to here are doubles, too.
constexpr std::int64_t kMostExact = std::int64_t{1} << 53;
constexpr std::int64_t kLeastInteger = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMostInteger = std::numeric_limits<std::int64_t>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool has_first(char operation) {
  return operation == '=' || operation == '>' || operation == 'g';
}

bool has_last(char operation) {
  return operation == '=' || operation == '<' || operation == 'l';
}

/// A double that is a whole number, as a bound of integers.
std::int64_t clamped(double whole) {
  constexpr double kLimit = 9223372036854775808.0;
  if (whole >= kLimit) return kMostInteger;
  if (whole < -kLimit) return kLeastInteger;
  return static_cast<std::int64_t>(whole);
}

/// Compared with a column that is declared as a number, SQLite takes such a text for one.
bool may_be_number(std::string_view text) {
  return text.find_first_not_of("0123456789+-.eE \t\n\v\f\r") == std::string_view::npos;
}

/// A null meets no condition.
void drop_nulls(const ArrowArray& array, std::span<std::uint8_t> matches) {
  if (array.null_count == 0 || !array.buffers[0]) return;
  for (std::size_t row = 0; row < matches.size(); ++row) {
    if (is_null(array, static_cast<std::int64_t>(row))) matches[row] = 0;
  }
}

char field_letter(sqlite3_index_info& query, int condition, Comparison comparison) {
  bool has_lists = sqlite3_libversion_number() >= kVersionWithLists && condition < kMostWithLists;
  switch (query.aConstraint[condition].op) {
    case SQLITE_INDEX_CONSTRAINT_EQ: {
      if (!has_lists) return kNotTaken;
      if (sqlite3_vtab_in(&query, condition, -1) != 0) return kIn;
      // One column of `(a, b) IN (SELECT ...)` looks like this, too. SQLite would scan the table
      // once for each value, and compare the others by their own affinities.
      sqlite3_value* constant = nullptr;
      bool is_constant = sqlite3_vtab_rhs_value(&query, condition, &constant) == SQLITE_OK;
      return is_constant ? '=' : kNotTaken;
    }
    case SQLITE_INDEX_CONSTRAINT_IS:
      return '=';
    // Texts are in the order of their bytes, which is another one in a database with UTF-16.
    case SQLITE_INDEX_CONSTRAINT_GT:
      return comparison == Comparison::numbers ? '>' : kNotTaken;
    case SQLITE_INDEX_CONSTRAINT_GE:
      return comparison == Comparison::numbers ? 'g' : kNotTaken;
    case SQLITE_INDEX_CONSTRAINT_LT:
      return comparison == Comparison::numbers ? '<' : kNotTaken;
    case SQLITE_INDEX_CONSTRAINT_LE:
      return comparison == Comparison::numbers ? 'l' : kNotTaken;
    default:
      return kNotTaken;
  }
}

}  // namespace

FieldCondition::FieldCondition(int column, char operation, Comparison comparison,
                               sqlite3_value* value)
    : column_(column), comparison_(comparison) {
  operation == kIn ? add_list(value) : add(operation, value);
  auto by_first = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::sort(integers_.begin(), integers_.end(), by_first);
  std::sort(reals_.begin(), reals_.end(), by_first);
  std::sort(texts_.begin(), texts_.end());
}

void FieldCondition::add_list(sqlite3_value* values) {
  sqlite3_value* value = nullptr;
  std::size_t count = 0;
  int result = sqlite3_vtab_in_first(values, &value);
  for (; result == SQLITE_OK && value; result = sqlite3_vtab_in_next(values, &value)) {
    if (sqlite3_value_type(value) == SQLITE_NULL) continue;
    add('=', value);
    if (!is_known_ || ++count > kLongestList) break;
  }
  is_known_ = is_known_ && result == SQLITE_DONE;
}

void FieldCondition::add(char operation, sqlite3_value* value) {
  int type = sqlite3_value_type(value);
  bool is_number = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
  if (comparison_ == Comparison::texts && type == SQLITE_TEXT) {
    add_text(value);
  } else if (comparison_ != Comparison::numbers || !is_number) {
    is_known_ = false;
  } else if (type == SQLITE_INTEGER) {
    add_integer(operation, sqlite3_value_int64(value));
  } else {
    add_real(operation, sqlite3_value_double(value));
  }
}

void FieldCondition::add_integer(char operation, std::int64_t number) {
  Range<std::int64_t> integers{kLeastInteger, kMostInteger};
  if (has_first(operation)) integers.first = number;
  if (has_last(operation)) integers.last = number;
  bool is_none =
      (operation == '>' && number == kMostInteger) || (operation == '<' && number == kLeastInteger);
  if (operation == '>' && !is_none) ++integers.first;
  if (operation == '<' && !is_none) --integers.last;
  if (!is_none) integers_.push_back(integers);
  auto real = static_cast<double>(number);
  Range<double> reals = reals_of(operation, real);
  bool is_rounded = number < -kMostExact || number > kMostExact;
  if (is_rounded)
    reals = {std::nextafter(reals.first, -kInfinity), std::nextafter(reals.last, kInfinity)};
  reals_.push_back(reals);
}

void FieldCondition::add_real(char operation, double number) {
  reals_.push_back(reals_of(operation, number));
  Range<double> wholes{-kInfinity, kInfinity};
  if (has_first(operation))
    wholes.first = operation == '>' ? std::floor(number) + 1 : std::ceil(number);
  if (has_last(operation))
    wholes.last = operation == '<' ? std::ceil(number) - 1 : std::floor(number);
  if (wholes.first <= wholes.last)
    integers_.push_back({clamped(wholes.first), clamped(wholes.last)});
}

FieldCondition::Range<double> FieldCondition::reals_of(char operation, double number) {
  Range<double> reals{-kInfinity, kInfinity};
  if (has_first(operation))
    reals.first = operation == '>' ? std::nextafter(number, kInfinity) : number;
  if (has_last(operation))
    reals.last = operation == '<' ? std::nextafter(number, -kInfinity) : number;
  return reals;
}

void FieldCondition::add_text(sqlite3_value* value) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  if (!text) return void(is_known_ = false);
  texts_.emplace_back(text, static_cast<std::size_t>(sqlite3_value_bytes(value)));
  if (may_be_number(texts_.back())) is_known_ = false;
}

void FieldCondition::apply(const ArrowSchema& schema, const ArrowArray& array,
                           std::span<std::uint8_t> matches) const {
  const std::string_view format = schema.format;
  if (schema.dictionary || !is_known_) return;
  if (comparison_ == Comparison::texts) {
    if (format == "u") apply_texts(array, matches);
    return;
  }
  bool is_number = format.size() == 1 || format[0] == 't';
  if (is_number) apply_numbers(format[0], array, matches);
}

void FieldCondition::apply_numbers(char format, const ArrowArray& array,
                                   std::span<std::uint8_t> matches) const {
  switch (format) {
    case 'c':
      return apply_ranges<std::int8_t>(integers_, array, matches);
    case 'C':
      return apply_ranges<std::uint8_t>(integers_, array, matches);
    case 's':
      return apply_ranges<std::int16_t>(integers_, array, matches);
    case 'S':
      return apply_ranges<std::uint16_t>(integers_, array, matches);
    case 'i':
      return apply_ranges<std::int32_t>(integers_, array, matches);
    case 'I':
      return apply_ranges<std::uint32_t>(integers_, array, matches);
    case 'l':
    case 't':  // times and durations
      return apply_ranges<std::int64_t>(integers_, array, matches);
    case 'f':
      return apply_ranges<float>(reals_, array, matches);
    case 'g':
      return apply_ranges<double>(reals_, array, matches);
    default:  // booleans; unsigned numbers of 64 bits, of which SQLite makes two types
      return;
  }
}

template <class Stored, class Value>
void FieldCondition::apply_ranges(const Ranges<Value>& ranges, const ArrowArray& array,
                                  std::span<std::uint8_t> matches) {
  const auto* bytes = static_cast<const char*>(array.buffers[1]) +
                      static_cast<std::size_t>(array.offset) * sizeof(Stored);
  auto value_at_row = [bytes](std::size_t row) {
    Stored stored;
    std::memcpy(&stored, bytes + row * sizeof stored, sizeof stored);
    return static_cast<Value>(stored);
  };
  if (ranges.size() == 1) {
    const Range<Value> range = ranges.front();
    for (std::size_t row = 0; row < matches.size(); ++row) {
      Value value = value_at_row(row);
      matches[row] &= static_cast<std::uint8_t>(value >= range.first && value <= range.last);
    }
  } else {
    for (std::size_t row = 0; row < matches.size(); ++row) {
      Value value = value_at_row(row);
      auto behind = std::upper_bound(
          ranges.begin(), ranges.end(), value,
          [](Value each, const Range<Value>& range) { return each < range.first; });
      bool is_in = behind != ranges.begin() && value <= std::prev(behind)->last;
      matches[row] &= static_cast<std::uint8_t>(is_in);
    }
  }
  drop_nulls(array, matches);
}

std::string FieldCondition::as_condition(const std::string& path) const {
  // More ranges say little, and cost much for each part of each bag.
  constexpr std::size_t kMostRanges = 20;
  bool is_plain = std::all_of(path.begin(), path.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.';
  });
  bool is_said = is_known_ && comparison_ == Comparison::numbers && is_plain && !path.empty() &&
                 !reals_.empty() && reals_.size() <= kMostRanges;
  if (!is_said) return {};
  std::string text;
  for (const Range<double>& range : reals_) {
    if (!text.empty()) text += " || ";
    bool has_first = std::isfinite(range.first);
    bool has_last = std::isfinite(range.last);
    if (!has_first && !has_last) return {};
    if (has_first) text += fmt::format("m.{} >= {}", path, range.first);
    if (has_first && has_last) text += " && ";
    if (has_last) text += fmt::format("m.{} <= {}", path, range.last);
  }
  return text;
}

bool FieldCondition::matches(std::string_view text) const {
  return std::binary_search(texts_.begin(), texts_.end(), text, std::less<>());
}

void FieldCondition::apply_texts(const ArrowArray& array, std::span<std::uint8_t> matches) const {
  for (std::size_t row = 0; row < matches.size(); ++row) {
    if (matches[row] == 0) continue;
    std::string_view text = text_at(array, static_cast<std::int64_t>(row));
    matches[row] = this->matches(text) ? 1 : 0;
  }
  drop_nulls(array, matches);
}

std::string take_field_conditions(sqlite3_index_info& query, const ComparisonOf& comparison_of,
                                  int& argument) {
  std::string text;
  for (int i = 0; i < query.nConstraint; ++i) {
    const auto& condition = query.aConstraint[i];
    if (!condition.usable || condition.iColumn < 0) continue;
    Comparison comparison = comparison_of(condition.iColumn);
    if (comparison == Comparison::none) continue;
    bool is_by_bytes = comparison == Comparison::numbers ||
                       sqlite3_stricmp(sqlite3_vtab_collation(&query, i), "BINARY") == 0;
    char letter = is_by_bytes ? field_letter(query, i, comparison) : kNotTaken;
    if (letter == kNotTaken) continue;
    if (letter == kIn) sqlite3_vtab_in(&query, i, 1);
    query.aConstraintUsage[i].argvIndex = argument++;
    text += letter + std::to_string(condition.iColumn) + ' ';
  }
  return text;
}

std::vector<FieldCondition> field_conditions(const std::string& conditions,
                                             std::span<sqlite3_value*> values,
                                             const ComparisonOf& comparison_of) {
  std::vector<FieldCondition> all;
  std::size_t at = 0;
  for (sqlite3_value* value : values) {
    std::size_t end = conditions.find(' ', at);
    int column = std::stoi(conditions.substr(at + 1, end - at - 1));
    FieldCondition condition(column, conditions[at], comparison_of(column), value);
    if (condition.is_known()) all.push_back(std::move(condition));
    at = end + 1;
  }
  return all;
}

}  // namespace kitbag::sql
