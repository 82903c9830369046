#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "kitbag/bytes.h"

struct sqlite3;
struct sqlite3_stmt;

namespace kitbag::sqlite3 {

/// A statement that is run many times. Its parameters count from 1; bytes must live until step().
class Statement {
 public:
  Statement() = default;
  Statement(::sqlite3_stmt* statement, std::string path)
      : statement_(statement), path_(std::move(path)) {}

  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, std::string_view text);
  Statement& bind(int parameter, ByteView blob);
  /// Runs it, and resets it for the next time. Throws Error (io).
  void run();
  /// Returns the only number that it gives. Throws Error (io).
  std::int64_t number();

 private:
  struct Finalize {
    void operator()(::sqlite3_stmt* statement) const;
  };
  std::unique_ptr<::sqlite3_stmt, Finalize> statement_;
  std::string path_;
};

/// A SQLite database, open for writing. One thread at a time; every failure throws Error: io, or
/// corrupt where SQLite finds the file so.
class Database {
 public:
  /// `file` must exist; `path` is what errors call it. `gathers`: its pages are written many at a
  /// time (gathering_vfs.h), which rules out a write-ahead log.
  Database(const std::string& file, std::string path, bool gathers = false);

  void run(const char* sql);
  Statement prepare(const char* sql);
  /// Whether a transaction is open: BEGIN was run, but not COMMIT, and SQLite has not rolled it
  /// back after a failure.
  bool has_transaction() const;
  /// The id of the row inserted last.
  std::int64_t last_id() const;
  void close();

 private:
  struct Close {
    void operator()(::sqlite3* database) const;
  };
  std::unique_ptr<::sqlite3, Close> database_;
  std::string path_;
};

}  // namespace kitbag::sqlite3
