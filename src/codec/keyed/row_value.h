#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow/target.h"
#include "kitbag/bytes.h"
#include "kitbag/type.h"

namespace kitbag::keyed {

/// A value that goes into columns, as a whole or in parts: what a Target says, compiled for readers
/// that find values in any order. They add each value once. Where a function returns false, the
/// value does not fit, or takes the decoder: the caller gives the row up. One thread.
struct RowValue {
  const Type* type = nullptr;
  const Field* field = nullptr;  ///< whose value it is; null: it is none of a field
  const arrow::Target* target = nullptr;
  /// Counted through the tree, so that readers can keep tables of what they know of each.
  std::uint32_t id = 0;
  bool is_alike = true;  ///< the columns have the bytes of encodings by position
  std::vector<arrow::Column*> columns;
  std::vector<arrow::Column*> times = {};    ///< of a structure of seconds and nanoseconds
  std::vector<RowValue> fields = {};         ///< of a structure, in the order of the type
  std::unique_ptr<RowValue> each = nullptr;  ///< of every element of a list
  std::vector<std::pair<std::uint64_t, RowValue>> elements = {};  ///< of single ones, by index
  std::int64_t number = 0;       ///< the integer that was added last
  std::size_t next_element = 0;  ///< of `elements`

  /// Integers of any kind, enumerations included.
  [[nodiscard]] bool add_integer(std::int64_t value);
  [[nodiscard]] bool add_unsigned(std::uint64_t value);
  [[nodiscard]] bool add_boolean(bool value);
  [[nodiscard]] bool add_real(double value);
  void add_text(std::string_view value);
  /// Returns whether the bytes of a list go into a column as one value.
  bool has_binary() const;
  /// A whole list of bytes.
  [[nodiscard]] bool add_bytes(ByteView bytes);
  /// The fields follow, in any order.
  void begin_struct();
  [[nodiscard]] bool end_struct();
  /// The elements follow, each by element().
  void begin_list();
  [[nodiscard]] bool end_list(std::uint64_t count);
  /// Calls `fill` for the element with that index: once for each RowValue that it goes into.
  template <class Fill>
  [[nodiscard]] bool element(std::uint64_t index, const Fill& fill) {
    if (each && !fill(*each)) return false;
    bool is_wanted = next_element < elements.size() && elements[next_element].first == index;
    return !is_wanted || fill(elements[next_element++].second);
  }
  void add_nulls() { arrow::add_nulls(*target); }
  /// What visit_default() passes to visitors for the field.
  [[nodiscard]] bool add_default();

 private:
  [[nodiscard]] bool add_zero();
  [[nodiscard]] bool add_literal(const Literal& literal);
};

/// Returns null if that takes more than this: unions, values as JSON. `target` must outlive the
/// RowValue.
std::unique_ptr<RowValue> compile_row(const Type& type, const arrow::Target& target);

}  // namespace kitbag::keyed
