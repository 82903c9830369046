#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/export.h"
#include "kitbag/registry.h"
#include "kitbag/time.h"

// A database that kitbag stores rows in, such as those of a Catalog: SQLite, which is part of the
// library, or PostgreSQL, a plugin. It is reached with SQL that both understand. Parameters are $1,
// $2 and so on. What the two spell differently is in SqlDialect.
//
//   auto database = connect("fleet.db", {.may_create = true}, session);
//   database->run("INSERT INTO tags (bag, name) VALUES ($1, $2)", {{std::int64_t{7}, "rain"}});

namespace kitbag {

class Session;

/// A value in a row, or a parameter: null, a number, a text (UTF-8) or bytes.
using SqlValue =
    std::variant<std::monostate, std::int64_t, double, std::string, std::vector<std::byte>>;
using SqlRow = std::vector<SqlValue>;  ///< by column

/// What databases spell differently.
struct SqlDialect {
  std::string_view name;        ///< "sqlite", "postgres"
  std::string_view bytes;       ///< the type of a column of bytes
  std::string_view counted;     ///< the type of a column whose numbers the database gives out
  bool has_partitions = false;  ///< PARTITION BY
};

/// A connection to a database. One thread at a time. Every call throws Error: io if the database
/// refuses or is lost; corrupt for a damaged file; busy if another writer holds it for longer than
/// the connection waits; exists if a row must be the only one of its kind and is not; cancelled.
class Database {
 public:
  virtual ~Database() = default;

  virtual const SqlDialect& dialect() const = 0;  ///< never changes
  /// Runs one statement, and calls `on_row` with each row that it gives, which must not use the
  /// database. What is passed to it is valid until it returns.
  virtual void run(const std::string& statement, std::span<const SqlValue> parameters,
                   const std::function<void(SqlRow& row)>& on_row) = 0;
  /// Begins a transaction, and waits until no other one that was begun so is open.
  virtual void begin_writing() = 0;

  /// Runs one statement and returns its rows.
  KITBAG_API std::vector<SqlRow> run(const std::string& statement,
                                     const std::vector<SqlValue>& parameters = {});
};

/// Statements that take effect together, at commit(), or not at all. Writers pass one after the
/// other.
class KITBAG_API SqlTransaction {
 public:
  /// Begins; `database` must outlive it. Throws Error, as Database::begin_writing() does.
  explicit SqlTransaction(Database& database);
  /// Rolls back what was not committed.
  ~SqlTransaction();
  SqlTransaction(const SqlTransaction&) = delete;
  SqlTransaction& operator=(const SqlTransaction&) = delete;
  /// Throws Error, as Database::run() does; nothing has taken effect then.
  void commit();

 private:
  Database& database_;
  bool is_open_ = true;
};

/// How a connection is made.
struct ConnectOptions {
  bool may_create = false;  ///< false: a file that does not exist is an error
  /// How long statements wait for another writer, and for a server that does not answer.
  Duration patience = std::chrono::seconds(30);
  Wait wait = {};  ///< ends the connecting and each statement
};

/// Connects to the database at `address`: a path of a file of SQLite, or an address such as
/// "postgresql://user@host/name". Loads the plugin if necessary. Throws Error: as Database::run();
/// not_found; invalid for a scheme that no database has.
KITBAG_API std::unique_ptr<Database> connect(const std::string& address,
                                             const ConnectOptions& options, const Session& session);

/// Returns `address` without its password, for people.
KITBAG_API std::string without_password(const std::string& address);

}  // namespace kitbag
