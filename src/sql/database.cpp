#include "sql/database.h"

#include <sqlite3.h>

#include <utility>

#include "kitbag/error.h"
#include "sql/limits.h"
#include "sql/tables/tables.h"
#include "sql/tables/virtual_table.h"
#include "sql/unknown_names.h"

// A query comes from a person or over HTTP, and is not trusted. What it may do is listed,
// everything else is refused: SQLite asks authorize() for each step of a statement while it
// compiles it, before anything runs. The tables of the bags are created before the authorizer is
// set.
//
//   ATTACH, VACUUM INTO      would write files: not listed, and no database can be attached
//   PRAGMA                   not listed: temp_store, writable_schema and others
//   load_extension()         refused by name, and switched off
//   CREATE VIRTUAL TABLE     modules of kitbag only
//
// A long query is stopped by the progress handler; reading a bag looks at the same stop token.
// Functions that could take long in one step are others for strangers (sql/limits.h).
//
// A text may have several statements. All but the last are carried out at once; the answer is the
// last one's, row by row.

namespace kitbag::sql {

namespace {

/// SQLite asks after this many steps whether to go on.
constexpr int kStepsBetweenChecks = 10'000;

/// What a query may do: read, and keep what it needs in temporary tables. There is no way to a
/// file: ATTACH, VACUUM INTO, extensions and pragmas are refused.
int authorize(void*, int action, const char* first, const char* second, const char* schema,
              const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
    case SQLITE_CREATE_TEMP_TABLE:
    case SQLITE_CREATE_TEMP_VIEW:
    case SQLITE_CREATE_TEMP_INDEX:
    case SQLITE_DROP_TEMP_TABLE:
    case SQLITE_DROP_TEMP_VIEW:
    case SQLITE_DROP_TEMP_INDEX:
    case SQLITE_REINDEX:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return std::string_view(second) == "load_extension" ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_UPDATE:
      // SQLite compiles this, without running it, when a module declares its columns. It refuses to
      // run it for anybody else.
      if (first && std::string_view(first) == "sqlite_master") return SQLITE_OK;
      [[fallthrough]];
    case SQLITE_INSERT:
    case SQLITE_DELETE:
      return schema && std::string_view(schema) == "temp" ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_CREATE_VTABLE:
    case SQLITE_DROP_VTABLE:
      return second && std::string_view(second).starts_with("kitbag_") ? SQLITE_OK : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

/// `text` from the first character on that is not between two statements: no space, no comment, no
/// semicolon.
std::string_view without_blanks(std::string_view text) {
  for (;;) {
    std::size_t begin = text.find_first_not_of(" \t\r\n\f;");
    if (begin == std::string_view::npos) return {};
    text.remove_prefix(begin);
    bool is_line = text.starts_with("--");
    if (!is_line && !text.starts_with("/*")) return text;
    std::size_t end = text.find(is_line ? "\n" : "*/", 2);
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + (is_line ? 1 : 2));
  }
}

/// A statement that SQLite does not understand, or that is refused.
[[noreturn]] void throw_invalid(sqlite3* database, const BagSet& set, const std::string& query) {
  try {
    throw_failure(database);
  } catch (const Error& error) {
    std::string hint = similar_names(database, set, error.message(), query);
    if (error.message().starts_with("near \".\"")) {
      hint = "; put the name of a field with dots in double quotes: \"pose.position.x\"";
    }
    throw Error(error.code(), error.message() + hint);
  }
}

/// Of a statement before the last one.
void require_no_answer(sqlite3_stmt* statement) {
  if (sqlite3_column_count(statement) == 0) return;
  throw Error(ErrorCode::invalid,
              "only the last statement of a query may give rows; ask one query at a time");
}

int is_stopped(void* set) {
  return static_cast<const BagSet*>(set)->stop.stop_requested() ? 1 : 0;
}

class SqliteAnswer final : public Answer {
 public:
  SqliteAnswer(sqlite3* database, const BagSet& set, const std::string& query);
  ~SqliteAnswer() override { sqlite3_finalize(statement_); }
  SqliteAnswer(const SqliteAnswer&) = delete;
  SqliteAnswer& operator=(const SqliteAnswer&) = delete;

  std::vector<std::string> names() const override;
  bool next() override;
  Value value(std::size_t column) const override;
  std::string declared_type(std::size_t column) const override;

 private:
  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
};

SqliteAnswer::SqliteAnswer(sqlite3* database, const BagSet& set, const std::string& query)
    : database_(database) {
  std::string_view rest = without_blanks(query);
  if (rest.empty()) throw Error(ErrorCode::invalid, "the query is empty");
  try {
    while (!rest.empty()) {
      const char* behind = nullptr;
      int result = sqlite3_prepare_v2(database, rest.data(), static_cast<int>(rest.size()),
                                      &statement_, &behind);
      if (result != SQLITE_OK) throw_invalid(database, set, query);
      rest = without_blanks(rest.substr(static_cast<std::size_t>(behind - rest.data())));
      if (rest.empty()) return;
      require_no_answer(statement_);
      while (next()) {
      }
      sqlite3_finalize(std::exchange(statement_, nullptr));
    }
  } catch (...) {
    sqlite3_finalize(statement_);
    throw;
  }
}

std::vector<std::string> SqliteAnswer::names() const {
  int count = sqlite3_column_count(statement_);
  std::vector<std::string> all;
  all.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    all.emplace_back(sqlite3_column_name(statement_, i));
  }
  return all;
}

bool SqliteAnswer::next() {
  int result = sqlite3_step(statement_);
  if (result == SQLITE_ROW) return true;
  if (result != SQLITE_DONE) throw_failure(database_);
  return false;
}

Value SqliteAnswer::value(std::size_t column) const {
  int index = static_cast<int>(column);
  auto size = [&] { return static_cast<std::size_t>(sqlite3_column_bytes(statement_, index)); };
  switch (sqlite3_column_type(statement_, index)) {
    case SQLITE_INTEGER:
      return sqlite3_column_int64(statement_, index);
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement_, index);
    case SQLITE_TEXT: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, index));
      return std::string_view(text, size());
    }
    case SQLITE_BLOB: {
      const auto* bytes = static_cast<const std::byte*>(sqlite3_column_blob(statement_, index));
      return ByteView(bytes, size());
    }
    default:
      return std::monostate();
  }
}

std::string SqliteAnswer::declared_type(std::size_t column) const {
  const char* type = sqlite3_column_decltype(statement_, static_cast<int>(column));
  return type ? type : "";
}

}  // namespace

Database::Database(std::shared_ptr<const BagSet> set) : set_(std::move(set)) {
  if (sqlite3_open(":memory:", &database_) != SQLITE_OK) {
    Error error(ErrorCode::io, sqlite3_errmsg(database_));
    sqlite3_close(database_);
    throw error;
  }
  try {
    // Temporary tables of a query are in memory, and not in files.
    sqlite3_exec(database_, "PRAGMA temp_store=MEMORY", nullptr, nullptr, nullptr);
    create_tables(database_, set_);
    sqlite3_db_config(database_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    // A column that does not exist is an error, and not a text, also in double quotes.
    sqlite3_db_config(database_, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
    sqlite3_db_config(database_, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
    sqlite3_limit(database_, SQLITE_LIMIT_ATTACHED, 0);
    if (set_->is_for_strangers) limit_for_strangers(database_, *set_);
    sqlite3_set_authorizer(database_, authorize, nullptr);
    sqlite3_progress_handler(database_, kStepsBetweenChecks, is_stopped,
                             const_cast<BagSet*>(set_.get()));
  } catch (...) {
    sqlite3_close_v2(database_);
    throw;
  }
}

Database::~Database() {
  sqlite3_close_v2(database_);
}

std::unique_ptr<Answer> Database::query(const std::string& text) {
  return std::make_unique<SqliteAnswer>(database_, *set_, text);
}

}  // namespace kitbag::sql
