#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/arrow.h"
#include "sql/sqlite.h"

namespace kitbag::sql {

/// How SQLite compares the values of a column.
enum class Comparison { none, numbers, texts };

/// By the number of a column.
using ComparisonOf = std::function<Comparison(int)>;

/// A condition that compares a column with constants, for whole batches. It drops only rows that
/// certainly do not meet it; SQLite checks the others.
class FieldCondition {
 public:
  /// `operation` is a letter of take_field_conditions(), `value` the right side.
  FieldCondition(int column, char operation, Comparison comparison, sqlite3_value* value);

  int column() const { return column_; }
  /// False: it drops nothing, as with a right side of another type.
  bool is_known() const { return is_known_; }
  /// Sets `matches` to 0 for the rows that do not meet the condition. `array` has as many rows.
  void apply(const ArrowSchema& schema, const ArrowArray& array,
             std::span<std::uint8_t> matches) const;
  /// The condition as find_moments() takes it, for a field with this path: what meets this one
  /// meets that one. Empty: it cannot be said so.
  std::string as_condition(const std::string& path) const;
  /// Whether a text meets the condition.
  bool matches(std::string_view text) const;

 private:
  /// From one value to another one, both included.
  template <class Value>
  struct Range {
    Value first;
    Value last;
  };
  template <class Value>
  using Ranges = std::vector<Range<Value>>;

  void add(char operation, sqlite3_value* value);
  void add_integer(char operation, std::int64_t number);
  void add_real(char operation, double number);
  static Range<double> reals_of(char operation, double number);
  void add_text(sqlite3_value* value);
  void add_list(sqlite3_value* values);

  template <class Stored, class Value>
  static void apply_ranges(const Ranges<Value>& ranges, const ArrowArray& array,
                           std::span<std::uint8_t> matches);
  void apply_numbers(char format, const ArrowArray& array, std::span<std::uint8_t> matches) const;
  void apply_texts(const ArrowArray& array, std::span<std::uint8_t> matches) const;

  int column_;
  Comparison comparison_;
  bool is_known_ = true;
  /// Those that meet the condition, in ascending order: of columns of integers, of real numbers and
  /// of texts.
  Ranges<std::int64_t> integers_;
  Ranges<double> reals_;
  std::vector<std::string> texts_;
};

/// Takes the conditions of a query that a FieldCondition can check, and returns a letter and the
/// number of the column for each: "<4 i7 ". Their values become arguments from number `argument`
/// on, which is counted up. SQLite checks the conditions all the same.
std::string take_field_conditions(sqlite3_index_info& query, const ComparisonOf& comparison_of,
                                  int& argument);

/// Returns these conditions with their values; those that drop nothing are left out.
std::vector<FieldCondition> field_conditions(const std::string& conditions,
                                             std::span<sqlite3_value*> values,
                                             const ComparisonOf& comparison_of);

}  // namespace kitbag::sql
