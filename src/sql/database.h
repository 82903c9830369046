#pragma once

#include <memory>
#include <string>

#include "sql/answer.h"
#include "sql/bag_set.h"

struct sqlite3;

namespace kitbag::sql {

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
  /// last one are carried out, and must not give rows. The answer must not outlive the database.
  std::unique_ptr<Answer> query(const std::string& text);

 private:
  std::shared_ptr<const BagSet> set_;
  sqlite3* database_ = nullptr;
};

}  // namespace kitbag::sql
