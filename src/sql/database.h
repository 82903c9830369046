#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sql/bag_set.h"

struct sqlite3;
struct sqlite3_stmt;

namespace kitbag::sql {

/// A value in the answer to a query: null, a number, a text or bytes. Views are valid until the
/// next row.
using Value = std::variant<std::monostate, std::int64_t, double, std::string_view, ByteView>;

/// The answer to a query. One thread.
class Answer {
 public:
  Answer(sqlite3* database, const std::string& query);
  ~Answer();
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;

  /// Names of the columns.
  std::vector<std::string> names() const;
  /// Goes to the next row, which is the first one at first. False: there are no more. Throws Error:
  /// cancelled if the query was stopped, and what reading the bags throws.
  bool next();
  Value value(std::size_t column) const;

 private:
  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
};

/// Bags as a database in memory, with the tables of create_tables(). Queries read only: they can
/// make temporary tables and views, and reach no file. One thread.
class Database {
 public:
  /// Throws Error.
  explicit Database(std::shared_ptr<const BagSet> set);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Throws Error (invalid) for a query that is not valid, or not allowed. Statements before the
  /// last one are carried out. The answer must not outlive the database.
  std::unique_ptr<Answer> query(const std::string& text);

 private:
  std::shared_ptr<const BagSet> set_;
  sqlite3* database_ = nullptr;
};

}  // namespace kitbag::sql
