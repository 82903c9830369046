#include "database/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>
#include <new>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "io/posix.h"
#include "kitbag/file_system.h"

// One file, which several processes may use at once: a write-ahead log lets readers read on while
// one writer writes, and others wait for it (busy_timeout). Statements are prepared once: a catalog
// runs the same few for every bag.
//
// The log needs a file beside the database, even for readers. Where none can be made, on a disk
// that cannot be written, a database without a log is read as one that nobody changes, and whether
// somebody has changed it is asked after each statement.

namespace kitbag {
namespace {

constexpr SqlDialect kSqlite{.name = "sqlite",
                             .bytes = "BLOB",
                             .counted = "INTEGER PRIMARY KEY AUTOINCREMENT",
                             .has_partitions = false};
constexpr int kStepsBetweenLooks = 10'000;  // of SQLite's machine, for the stop token

class SqliteDatabase final : public Database {
 public:
  SqliteDatabase(const std::string& path, const ConnectOptions& options);
  ~SqliteDatabase() override;

  const SqlDialect& dialect() const override { return kSqlite; }
  void run(const std::string& statement, std::span<const SqlValue> parameters,
           const std::function<void(SqlRow& row)>& on_row) override;
  void begin_writing() override { Database::run("BEGIN IMMEDIATE"); }

 private:
  [[noreturn]] void fail() const;
  int open(const std::string& name, int flags);
  void close();
  void set_up();
  void begin_log();
  bool is_read_only() const { return sqlite3_db_readonly(database_, "main") == 1; }
  /// Whether there are changes that are not in the file yet.
  bool has_log() const;
  /// Throws Error (io) if the log beside the database has changes that are not in it.
  void open_unchanging();
  void require_unchanged() const;
  sqlite3_stmt* prepared(const std::string& statement);
  void bind(sqlite3_stmt* statement, std::span<const SqlValue> parameters) const;

  std::string path_;
  Wait wait_;
  int patience_ms_ = 0;  ///< that statements wait for a writer
  ::sqlite3* database_ = nullptr;
  /// What is at the path, of a database that nobody may change. Nothing: it may be changed.
  std::optional<FileStatus> unchanging_ = std::nullopt;
  std::map<std::string, sqlite3_stmt*> statements_;
};

/// A path in a URI, as SQLite reads one.
std::string percent_encoded(std::string_view path) {
  std::string encoded;
  for (char c : path) {
    bool is_special = c == '%' || c == '?' || c == '#';
    encoded +=
        is_special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return encoded;
}

ErrorCode code_of(int code) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return ErrorCode::busy;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return ErrorCode::corrupt;
    case SQLITE_CONSTRAINT:
      return ErrorCode::exists;
    case SQLITE_INTERRUPT:
      return ErrorCode::cancelled;
    case SQLITE_TOOBIG:
      return ErrorCode::limit;
    default:
      return ErrorCode::io;
  }
}

void SqliteDatabase::fail() const {
  int code = sqlite3_errcode(database_);
  if (code == SQLITE_NOMEM) throw std::bad_alloc();
  std::string text = sqlite3_errmsg(database_);
  if ((code & 0xff) == SQLITE_READONLY) text = "the file or its folder cannot be written";
  if (code == SQLITE_FULL) text = "no space left on the disk";
  if (code == SQLITE_BUSY) text = "another program is writing the database";
  int number = code == SQLITE_FULL ? ENOSPC : 0;
  if (code == SQLITE_IOERR) number = sqlite3_system_errno(database_);
  if (code == SQLITE_IOERR && number != 0) text += ": " + errno_text(number);
  throw SystemError(Error(code_of(code), text, path_), number);
}

SqliteDatabase::SqliteDatabase(const std::string& path, const ConnectOptions& options)
    : path_(path), wait_(options.wait) {
  auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(options.patience).count();
  patience_ms_ = int(std::clamp<std::int64_t>(ms, 0, INT32_MAX));
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
  if (options.may_create) flags |= SQLITE_OPEN_CREATE;
  if (open(path, flags) != SQLITE_OK) {
    int number = sqlite3_system_errno(database_);
    std::string text = number != 0 ? errno_text(number) : sqlite3_errmsg(database_);
    close();
    ErrorCode code = number == ENOENT ? ErrorCode::not_found : ErrorCode::io;
    throw SystemError(Error(code, fmt::format("the database cannot be opened: {}", text), path),
                      number);
  }
  // Whoever cannot write the file would leave a log in which others cannot write.
  if (is_read_only() && !has_log()) {
    open_unchanging();
    return;
  }
  try {
    set_up();
  } catch (const Error&) {
    int code = sqlite3_errcode(database_) & 0xff;
    bool lacks_log = code == SQLITE_CANTOPEN || code == SQLITE_READONLY;
    if (!lacks_log) {
      close();
      throw;
    }
    open_unchanging();
  } catch (...) {
    close();
    throw;
  }
}

SqliteDatabase::~SqliteDatabase() {
  close();
}

int SqliteDatabase::open(const std::string& name, int flags) {
  int result = sqlite3_open_v2(name.c_str(), &database_, flags, nullptr);
  if (!database_) throw std::bad_alloc();
  sqlite3_busy_timeout(database_, patience_ms_);
  sqlite3_extended_result_codes(database_, 0);
  sqlite3_progress_handler(
      database_, kStepsBetweenLooks,
      [](void* wait) { return static_cast<Wait*>(wait)->stop.stop_requested() ? 1 : 0; }, &wait_);
  return result;
}

void SqliteDatabase::close() {
  for (const auto& [text, statement] : statements_) sqlite3_finalize(statement);
  statements_.clear();
  sqlite3_close(database_);
  database_ = nullptr;
}

void SqliteDatabase::set_up() {
  if (!is_read_only()) {
    begin_log();
    // With a log, a power failure may take back the last transactions, but does no damage.
    Database::run("PRAGMA synchronous = NORMAL");
    // Off by default; ON DELETE CASCADE needs it.
    Database::run("PRAGMA foreign_keys = ON");
  }
  Database::run("SELECT COUNT(*) FROM sqlite_master");  // nothing before it has read the file
}

/// SQLite does not wait here: if several programs change the mode of one file at the same time, it
/// refuses all but one at once.
void SqliteDatabase::begin_log() {
  constexpr auto kPause = std::chrono::milliseconds(5);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience_ms_);
  while (true) {
    try {
      Database::run("PRAGMA journal_mode = WAL");
      return;
    } catch (const Error& error) {
      bool is_over = std::chrono::steady_clock::now() >= end || wait_.stop.stop_requested();
      if (error.code() != ErrorCode::busy || is_over) throw;
    }
    std::this_thread::sleep_for(kPause);
  }
}

bool SqliteDatabase::has_log() const {
  auto log = local_file_system()->status(path_ + "-wal");
  return log && log->size_bytes > 0;
}

void SqliteDatabase::open_unchanging() {
  close();
  if (has_log()) {
    throw Error(ErrorCode::io,
                "the database has changes in its log, NAME-wal, which nobody can read who cannot "
                "write in the folder; let somebody open it who can",
                path_);
  }
  unchanging_ = local_file_system()->status(path_);
  // Of an immutable database SQLite takes no locks and looks for no log, so that nothing has to be
  // written beside it.
  std::string uri =
      (path_.starts_with('/') ? "file://" : "file:") + percent_encoded(path_) + "?immutable=1";
  bool is_open =
      open(uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI) == SQLITE_OK;
  try {
    if (!is_open) fail();
    set_up();
  } catch (...) {
    close();
    throw;
  }
}

void SqliteDatabase::require_unchanged() const {
  if (!unchanging_ || local_file_system()->status(path_) == unchanging_) return;
  throw Error(ErrorCode::busy, "another program has written the database meanwhile; ask again",
              path_);
}

sqlite3_stmt* SqliteDatabase::prepared(const std::string& statement) {
  auto known = statements_.find(statement);
  if (known != statements_.end()) return known->second;
  // Statements with lists of numbers differ each time. No statement is running here, as `on_row`
  // must not use the database.
  constexpr std::size_t kMostStatements = 64;
  if (statements_.size() >= kMostStatements) {
    for (const auto& [text, old] : statements_) sqlite3_finalize(old);
    statements_.clear();
  }
  sqlite3_stmt* made = nullptr;
  if (sqlite3_prepare_v3(database_, statement.c_str(), int(statement.size()),
                         SQLITE_PREPARE_PERSISTENT, &made, nullptr) != SQLITE_OK) {
    fail();
  }
  statements_.emplace(statement, made);
  return made;
}

/// Without copies: Running ends the bindings before the caller gets its parameters back.
void SqliteDatabase::bind(sqlite3_stmt* statement, std::span<const SqlValue> parameters) const {
  for (std::size_t number = 1; number <= parameters.size(); ++number) {
    // "$7" is a name for SQLite. What a statement does not use, it does not know.
    int at = sqlite3_bind_parameter_index(statement, fmt::format("${}", number).c_str());
    if (at == 0) continue;
    const SqlValue& value = parameters[number - 1];
    int result = SQLITE_OK;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      result = sqlite3_bind_int64(statement, at, *whole);
    } else if (const auto* real = std::get_if<double>(&value)) {
      result = sqlite3_bind_double(statement, at, *real);
    } else if (const auto* text = std::get_if<std::string>(&value)) {
      result = sqlite3_bind_text64(statement, at, text->data(), text->size(), SQLITE_STATIC,
                                   SQLITE_UTF8);
    } else if (const auto* bytes = std::get_if<std::vector<std::byte>>(&value)) {
      const void* data = bytes->empty() ? static_cast<const void*>("") : bytes->data();
      result = sqlite3_bind_blob64(statement, at, data, bytes->size(), SQLITE_STATIC);
    } else {
      result = sqlite3_bind_null(statement, at);
    }
    if (result != SQLITE_OK) fail();
  }
}

SqlValue column_of(sqlite3_stmt* statement, int column) {
  auto size = std::size_t(sqlite3_column_bytes(statement, column));
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    case SQLITE_TEXT:
      return std::string(reinterpret_cast<const char*>(sqlite3_column_text(statement, column)),
                         size);
    case SQLITE_BLOB: {
      const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(statement, column));
      return std::vector<std::byte>(data, data + size);
    }
    default:
      return std::monostate();
  }
}

/// Whoever leaves a statement lets go of what it holds.
class Running {
 public:
  explicit Running(sqlite3_stmt* statement) : statement_(statement) {}
  ~Running() {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  sqlite3_stmt* statement_;
};

void SqliteDatabase::run(const std::string& statement, std::span<const SqlValue> parameters,
                         const std::function<void(SqlRow& row)>& on_row) {
  sqlite3_stmt* running = prepared(statement);
  Running until_left(running);
  bind(running, parameters);
  SqlRow row;
  int result = SQLITE_ROW;
  while ((result = sqlite3_step(running)) == SQLITE_ROW) {
    row.clear();
    for (int column = 0; column < sqlite3_column_count(running); ++column) {
      row.push_back(column_of(running, column));
    }
    on_row(row);
  }
  // Before the result: of a file that was written meanwhile, SQLite may have read anything.
  require_unchanged();
  if (result != SQLITE_DONE) fail();
}

}  // namespace

std::unique_ptr<Database> connect_sqlite(const std::string& path, const ConnectOptions& options) {
  return std::make_unique<SqliteDatabase>(path, options);
}

}  // namespace kitbag
