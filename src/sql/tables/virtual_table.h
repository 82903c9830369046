#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sql/sqlite.h"

// A virtual table of SQLite in C++: what SQLite asks for by C functions are members here, and
// exceptions become its errors. Source: https://www.sqlite.org/vtab.html

namespace kitbag::sql {

/// The rows of a table that a query selects. One thread.
class Cursor {
 public:
  virtual ~Cursor() = default;
  /// Goes to the first row. `number` and `text` are what Table::plan() has set, `values` the right
  /// sides of the conditions that it has taken.
  virtual void start(int number, const std::string& text, std::span<sqlite3_value*> values) = 0;
  virtual void next() = 0;
  virtual bool is_end() const = 0;
  /// Gives the value of a column of the row to `context`.
  virtual void value(sqlite3_context* context, int column) = 0;
  /// A number of the row that no other row of the table has, the same whatever conditions the
  /// cursor was started with. SQLite answers `a OR b` by two scans, and drops the rows of the
  /// second one whose numbers it has seen.
  virtual std::int64_t row_number() const = 0;
};

/// There is no way to answer a query in this order of tables: SQLite tries another one.
struct NoPlan {};

/// A table. One thread.
class Table {
 public:
  virtual ~Table() = default;
  /// Returns "CREATE TABLE x(...)", which declares the columns.
  virtual std::string declaration() const = 0;
  /// Chooses how a query is answered, as xBestIndex does. Returns the text for Cursor::start().
  /// Throws NoPlan if it cannot be with the conditions that are usable.
  virtual std::string plan(sqlite3_index_info& query) const = 0;
  virtual std::unique_ptr<Cursor> open() = 0;
};

/// Makes a table of the arguments in CREATE VIRTUAL TABLE ... USING name(arguments), without the
/// quotes around them. Throws Error.
using MakeTable = std::function<std::unique_ptr<Table>(const std::vector<std::string>& arguments)>;

/// Adds a module: the kind of table that `make` makes. It can be used from a connection's own SQL
/// alone, not from a schema that a file has brought. `is_eponymous`: a table of that name is there
/// without being created. Throws Error.
void add_module(sqlite3* database, const std::string& name, MakeTable make,
                bool is_eponymous = false);

/// Throws an Error for what SQLite said last; if that came from a table, with the code of its
/// Error.
[[noreturn]] void throw_failure(sqlite3* database);

}  // namespace kitbag::sql
