#include "storage/sqlite3/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstdint>
#include <new>

#include "io/posix.h"
#include "kitbag/error.h"
#include "kitbag/file_system.h"
#include "storage/sqlite3/write/gathering_vfs.h"

// The few calls of SQLite that writing needs. Texts and blobs are bound without a copy
// (SQLITE_STATIC): they must live until the statement has run. One thread at a time uses a
// database, so SQLite takes no mutexes (NOMUTEX).
//
// SQLite's codes become errors of this library by what the user can do: a full disk, a message that
// is too large, a damaged file, and all else with the system's own reason, which SQLite keeps
// apart.

namespace kitbag::sqlite3 {

namespace {

/// SQLite says of the limit that is set for files what it says of a full disk.
bool is_limit_of_files(const std::string& path) {
  constexpr std::uint64_t kNotFull = 1 << 20;
  if (file_size_limit() == INT64_MAX) return false;
  return local_file_system()->free_bytes(path) > kNotFull;
}

[[noreturn]] void throw_error(::sqlite3* database, const std::string& path) {
  int code = sqlite3_errcode(database);
  int number = sqlite3_system_errno(database);
  if (code == SQLITE_NOMEM) throw std::bad_alloc();
  if (code == SQLITE_FULL && is_limit_of_files(path)) throw system_error("write", EFBIG, path);
  if (code == SQLITE_FULL) {
    throw SystemError(Error(ErrorCode::io, "no space left on the disk", path), ENOSPC);
  }
  if (code == SQLITE_TOOBIG) {
    throw Error(ErrorCode::unsupported, "SQLite does not support messages of more than 1 GB", path);
  }
  std::string reason = sqlite3_errmsg(database);
  if (code == SQLITE_IOERR && number != 0) reason += ": " + errno_text(number);
  bool is_damaged = code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
  Error error(is_damaged ? ErrorCode::corrupt : ErrorCode::io,
              fmt::format("SQLite cannot write the file: {}", reason), path);
  bool is_of_system = code == SQLITE_IOERR || code == SQLITE_CANTOPEN;
  throw SystemError(error, is_of_system ? number : 0);
}

}  // namespace

void Statement::Finalize::operator()(::sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), parameter, value);
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view text) {
  const char* data = text.data() ? text.data() : "";
  if (sqlite3_bind_text64(statement_.get(), parameter, data, text.size(), SQLITE_STATIC,
                          SQLITE_UTF8) != SQLITE_OK) {
    throw_error(sqlite3_db_handle(statement_.get()), path_);
  }
  return *this;
}

Statement& Statement::bind(int parameter, ByteView blob) {
  // Null would be NULL; an empty blob is none.
  const void* data = blob.data() ? static_cast<const void*>(blob.data()) : "";
  if (sqlite3_bind_blob64(statement_.get(), parameter, data, blob.size(), SQLITE_STATIC) !=
      SQLITE_OK) {
    throw_error(sqlite3_db_handle(statement_.get()), path_);
  }
  return *this;
}

void Statement::run() {
  int result = SQLITE_ROW;
  while (result == SQLITE_ROW) result = sqlite3_step(statement_.get());
  if (result != SQLITE_DONE) {
    sqlite3_reset(statement_.get());
    throw_error(sqlite3_db_handle(statement_.get()), path_);
  }
  sqlite3_reset(statement_.get());
}

std::int64_t Statement::number() {
  if (sqlite3_step(statement_.get()) != SQLITE_ROW) {
    sqlite3_reset(statement_.get());
    throw_error(sqlite3_db_handle(statement_.get()), path_);
  }
  std::int64_t value = sqlite3_column_int64(statement_.get(), 0);
  sqlite3_reset(statement_.get());
  return value;
}

void Database::Close::operator()(::sqlite3* database) const {
  sqlite3_close(database);
}

Database::Database(const std::string& file, std::string path, bool gathers)
    : path_(std::move(path)) {
  ::sqlite3* database = nullptr;
  int result = sqlite3_open_v2(file.c_str(), &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                               gathers ? gathering_vfs() : nullptr);
  database_.reset(database);
  if (!database) throw std::bad_alloc();
  if (result != SQLITE_OK) throw_error(database, path_);
}

void Database::run(const char* sql) {
  if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
    throw_error(database_.get(), path_);
  }
}

Statement Database::prepare(const char* sql) {
  ::sqlite3_stmt* statement = nullptr;
  int result =
      sqlite3_prepare_v3(database_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (result != SQLITE_OK) throw_error(database_.get(), path_);
  return {statement, path_};
}

bool Database::has_transaction() const {
  return sqlite3_get_autocommit(database_.get()) == 0;
}

std::int64_t Database::last_id() const {
  return sqlite3_last_insert_rowid(database_.get());
}

void Database::close() {
  if (database_ && sqlite3_close(database_.get()) != SQLITE_OK) {
    throw_error(database_.get(), path_);
  }
  database_.release();
}

}  // namespace kitbag::sqlite3
