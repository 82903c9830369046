#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kitbag/bytes.h"
#include "kitbag/columns.h"

namespace kitbag::sql {

/// A value in the answer to a query: null, a number, a text or bytes. Views are valid until the
/// next row.
using Value = std::variant<std::monostate, std::int64_t, double, std::string_view, ByteView>;

/// The answer to a query. One thread.
class Answer {
 public:
  virtual ~Answer() = default;
  /// Names of the columns.
  virtual std::vector<std::string> names() const = 0;
  /// Goes to the next row, which is the first one at first. False: there are no more. Throws Error:
  /// cancelled if the query was stopped, and what reading the bags throws.
  virtual bool next() = 0;
  virtual Value value(std::size_t column) const = 0;
  /// The type that the column is declared with: INTEGER, REAL, TEXT or BLOB. Empty: none.
  virtual std::string declared_type(std::size_t /*column*/) const { return {}; }
  /// The answer as columns, of an engine that has columns itself: to be read instead of rows. They
  /// live as long as the answer. Null: there are rows only.
  virtual Columns* columns() { return nullptr; }
};

}  // namespace kitbag::sql
