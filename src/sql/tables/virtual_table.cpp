#include "sql/tables/virtual_table.h"

#include <fmt/format.h>

#include <new>
#include <utility>

#include "kitbag/error.h"

// The border between SQLite's C and our C++. No exception may cross SQLite's frames, so each
// function that may throw runs in guarded(). SQLite takes a result code and a text. To get the
// ErrorCode out again at the other end (throw_failure()), it travels in the upper bits of an
// extended result code, which SQLite passes on as it is.
//
// An eponymous module has no xCreate, or SQLite would want CREATE VIRTUAL TABLE for it; a null
// pointer is the documented sign. SQLITE_VTAB_DIRECTONLY keeps tables out of triggers and views
// that a database file may have brought along: opening a stranger's file must not read bags.

namespace kitbag::sql {

namespace {

struct HeldTable : sqlite3_vtab {
  std::unique_ptr<Table> table;
};

struct HeldCursor : sqlite3_vtab_cursor {
  std::unique_ptr<Cursor> cursor;
};

void set_error(char** place, const char* text) {
  sqlite3_free(*place);
  *place = sqlite3_mprintf("%s", text);
}

/// The codes of an Error, as extended codes of SQLITE_ERROR. SQLite has few of its own.
constexpr int kFirstOwnCode = 64;

int result_of(ErrorCode code) {
  if (code == ErrorCode::cancelled) return SQLITE_INTERRUPT;
  return SQLITE_ERROR | (kFirstOwnCode + static_cast<int>(code)) << 8;
}

ErrorCode code_of(int result) {
  switch (result & 0xff) {
    case SQLITE_ERROR: {
      int own = (result >> 8) - kFirstOwnCode;
      return own < 0 ? ErrorCode::invalid : static_cast<ErrorCode>(own);
    }
    case SQLITE_INTERRUPT:
      return ErrorCode::cancelled;
    case SQLITE_NOMEM:
    case SQLITE_TOOBIG:
    case SQLITE_FULL:
      return ErrorCode::limit;
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
      return ErrorCode::io;
    default:
      return ErrorCode::invalid;
  }
}

/// Errors do not leave C functions as exceptions.
template <class Work>
int guarded(char** error, Work work) noexcept {
  try {
    work();
    return SQLITE_OK;
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  } catch (const NoPlan&) {
    return SQLITE_CONSTRAINT;
  } catch (const Error& failure) {
    set_error(error, failure.what());
    return result_of(failure.code());
  } catch (const std::exception& failure) {
    set_error(error, failure.what());
    return SQLITE_ERROR;
  }
}

/// SQLite hands over the arguments of a module as they are written in the statement.
std::string without_quotes(std::string text) {
  std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return {};
  text = text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
  char quote = text.front();
  bool is_quoted = text.size() >= 2 && (quote == '\'' || quote == '"') && text.back() == quote;
  if (!is_quoted) return text;
  std::string plain;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    plain += text[i];
    if (text[i] == quote && text[i + 1] == quote) ++i;
  }
  return plain;
}

int connect(sqlite3* database, void* make, int count, const char* const* words,
            sqlite3_vtab** table, char** error) {
  return guarded(error, [&] {
    std::vector<std::string> arguments;
    for (int i = 3; i < count; ++i) arguments.push_back(without_quotes(words[i]));
    auto held = std::make_unique<HeldTable>();
    held->table = (*static_cast<MakeTable*>(make))(arguments);
    if (sqlite3_declare_vtab(database, held->table->declaration().c_str()) != SQLITE_OK) {
      throw_failure(database);
    }
    sqlite3_vtab_config(database, SQLITE_VTAB_DIRECTONLY);
    *table = held.release();
  });
}

int disconnect(sqlite3_vtab* table) {
  delete static_cast<HeldTable*>(table);
  return SQLITE_OK;
}

int best_index(sqlite3_vtab* table, sqlite3_index_info* query) {
  return guarded(&table->zErrMsg, [&] {
    std::string text = static_cast<HeldTable*>(table)->table->plan(*query);
    query->idxStr = sqlite3_mprintf("%s", text.c_str());
    query->needToFreeIdxStr = 1;
    if (!query->idxStr) throw std::bad_alloc();
  });
}

int open(sqlite3_vtab* table, sqlite3_vtab_cursor** cursor) {
  return guarded(&table->zErrMsg, [&] {
    auto held = std::make_unique<HeldCursor>();
    held->cursor = static_cast<HeldTable*>(table)->table->open();
    *cursor = held.release();
  });
}

Cursor& cursor_of(sqlite3_vtab_cursor* cursor) {
  return *static_cast<HeldCursor*>(cursor)->cursor;
}

int close(sqlite3_vtab_cursor* cursor) {
  delete static_cast<HeldCursor*>(cursor);
  return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* cursor, int number, const char* text, int count,
           sqlite3_value** values) {
  return guarded(&cursor->pVtab->zErrMsg, [&] {
    cursor_of(cursor).start(number, text ? text : "", {values, static_cast<std::size_t>(count)});
  });
}

int next(sqlite3_vtab_cursor* cursor) {
  return guarded(&cursor->pVtab->zErrMsg, [&] { cursor_of(cursor).next(); });
}

int eof(sqlite3_vtab_cursor* cursor) {
  return cursor_of(cursor).is_end() ? 1 : 0;
}

int column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int index) {
  return guarded(&cursor->pVtab->zErrMsg, [&] { cursor_of(cursor).value(context, index); });
}

int row_id(sqlite3_vtab_cursor* cursor, sqlite3_int64* row) {
  *row = cursor_of(cursor).row_number();
  return SQLITE_OK;
}

/// What can be created.
sqlite3_module created_module() {
  sqlite3_module module{};
  module.xCreate = connect;
  module.xConnect = connect;
  module.xBestIndex = best_index;
  module.xDisconnect = disconnect;
  module.xDestroy = disconnect;
  module.xOpen = open;
  module.xClose = close;
  module.xFilter = filter;
  module.xNext = next;
  module.xEof = eof;
  module.xColumn = column;
  module.xRowid = row_id;
  return module;
}

}  // namespace

void add_module(sqlite3* database, const std::string& name, MakeTable make, bool is_eponymous) {
  static const sqlite3_module kCreated = created_module();
  static const sqlite3_module kEponymous = [] {
    sqlite3_module module = created_module();
    module.xCreate = nullptr;
    return module;
  }();
  auto held = std::make_unique<MakeTable>(std::move(make));
  auto free_make = [](void* pointer) { delete static_cast<MakeTable*>(pointer); };
  // SQLite calls `free_make` also if it fails.
  int result = sqlite3_create_module_v2(
      database, name.c_str(), is_eponymous ? &kEponymous : &kCreated, held.release(), free_make);
  if (result != SQLITE_OK) throw_failure(database);
}

void throw_failure(sqlite3* database) {
  ErrorCode code = code_of(sqlite3_extended_errcode(database));
  if (code == ErrorCode::cancelled) throw Error(code, "stopped on request");
  throw Error(code, sqlite3_errmsg(database));
}

}  // namespace kitbag::sql
