#include "sql/limits.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <new>
#include <string>
#include <string_view>

#include "sql/like.h"

// SQLite looks at its progress handler between the steps of its machine. A function of SQL is one
// step, so a query of a line can keep a thread busy for hours: instr(), replace() and trim()
// compare every place in one text with another one. Here the first two take a time that grows with
// both texts and not with their product, and trim() looks at the stop itself. json_patch() compares
// all keys of two objects; nobody misses it. printf() repeats a character up to 2^31 times. LIKE
// and GLOB are in like.cpp: they look at the stop, and their patterns are limited for the depth of
// the recursion. Texts are limited for memory.
//
// What the functions answer is what those of SQLite do, also for texts that are not UTF-8.

namespace kitbag::sql {
namespace {

/// Of a text or blob: a raw picture of 4K in color is smaller.
constexpr int kMostBytes = 32 << 20;
constexpr int kMostPatternBytes = 128;
/// trim() looks at the stop after so many comparisons.
constexpr unsigned kComparisonsBetweenChecks = 1 << 16;

std::string_view text_of(sqlite3_value* value) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  if (!text) return {};
  return {text, static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

std::string_view blob_of(sqlite3_value* value) {
  const auto* bytes = static_cast<const char*>(sqlite3_value_blob(value));
  return {bytes, static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

bool is_null_value(sqlite3_value* value) {
  return sqlite3_value_type(value) == SQLITE_NULL;
}

bool is_inside_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80;
}

/// std::string_view::find() takes the product of both sizes, in the worst case.
std::size_t find(std::string_view text, std::string_view wanted, std::size_t from = 0) {
  // A sanitizer looks at all of the text in each call of memmem().
  if (wanted.size() == 1) return text.find(wanted.front(), from);
  const void* found =
      ::memmem(text.data() + from, text.size() - from, wanted.data(), wanted.size());
  if (!found) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

/// The place of a text in another one, counted in characters.
sqlite3_int64 character_place(std::string_view text, std::string_view wanted) {
  // Places are those where a character begins, and the beginning.
  if (is_inside_character(wanted.front())) return text.starts_with(wanted) ? 1 : 0;
  std::size_t at = find(text, wanted);
  if (at == std::string_view::npos) return 0;
  if (at == 0) return 1;
  auto last = text.begin() + static_cast<std::ptrdiff_t>(at);
  return 2 + std::count_if(text.begin() + 1, last,
                           [](char byte) { return !is_inside_character(byte); });
}

void instr(sqlite3_context* context, int, sqlite3_value** values) {
  if (is_null_value(values[0]) || is_null_value(values[1])) return;
  bool are_blobs =
      sqlite3_value_type(values[0]) == SQLITE_BLOB && sqlite3_value_type(values[1]) == SQLITE_BLOB;
  std::string_view text = are_blobs ? blob_of(values[0]) : text_of(values[0]);
  std::string_view wanted = are_blobs ? blob_of(values[1]) : text_of(values[1]);
  sqlite3_int64 place = 0;
  if (wanted.empty()) {
    place = 1;
  } else if (wanted.size() <= text.size() && are_blobs) {
    std::size_t at = find(text, wanted);
    place = at == std::string_view::npos ? 0 : static_cast<sqlite3_int64>(at) + 1;
  } else if (wanted.size() <= text.size()) {
    place = character_place(text, wanted);
  }
  sqlite3_result_int64(context, place);
}

void replace(sqlite3_context* context, int, sqlite3_value** values) {
  if (is_null_value(values[0]) || is_null_value(values[1])) return;
  std::string_view text = text_of(values[0]);
  std::string_view wanted = text_of(values[1]);
  if (wanted.empty() || wanted.front() == '\0') return sqlite3_result_value(context, values[0]);
  if (is_null_value(values[2])) return;
  std::string_view by = text_of(values[2]);
  sqlite3* database = sqlite3_context_db_handle(context);
  auto most = static_cast<std::size_t>(sqlite3_limit(database, SQLITE_LIMIT_LENGTH, -1));
  try {
    std::string replaced;
    std::size_t done = 0;
    for (std::size_t at = find(text, wanted); at != std::string_view::npos;
         at = find(text, wanted, done)) {
      replaced.append(text, done, at - done).append(by);
      done = at + wanted.size();
      if (replaced.size() > most) return sqlite3_result_error_toobig(context);
    }
    replaced.append(text, done);
    sqlite3_result_text64(context, replaced.data(), replaced.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

/// Takes the first character.
std::string_view take_character(std::string_view& text) {
  std::size_t size = 1;
  if (static_cast<unsigned char>(text.front()) >= 0xc0) {
    while (size < text.size() && is_inside_character(text[size])) ++size;
  }
  std::string_view character = text.substr(0, size);
  text.remove_prefix(size);
  return character;
}

constexpr unsigned kLeft = 1;
constexpr unsigned kRight = 2;

template <unsigned kSides>
void trim(sqlite3_context* context, int count, sqlite3_value** values) {
  if (is_null_value(values[0]) || (count > 1 && is_null_value(values[1]))) return;
  std::string_view text = text_of(values[0]);
  std::string_view characters = count > 1 ? text_of(values[1]) : " ";
  characters = characters.substr(0, characters.find('\0'));
  const auto& set = *static_cast<const BagSet*>(sqlite3_user_data(context));
  unsigned comparisons = 0;
  bool is_stopped = false;
  auto take = [&](bool is_left) {  // one character; false: there is none
    for (std::string_view rest = characters; !rest.empty() && !is_stopped;) {
      std::string_view each = take_character(rest);
      is_stopped = ++comparisons % kComparisonsBetweenChecks == 0 && set.stop.stop_requested();
      if (is_left ? !text.starts_with(each) : !text.ends_with(each)) continue;
      is_left ? text.remove_prefix(each.size()) : text.remove_suffix(each.size());
      return true;
    }
    return false;
  };
  while ((kSides & kLeft) != 0 && !text.empty() && take(true)) {
  }
  while ((kSides & kRight) != 0 && !text.empty() && take(false)) {
  }
  if (is_stopped) return sqlite3_result_error_code(context, SQLITE_INTERRUPT);
  sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// Whether a format has a %c that is repeated so often that SQLite before 3.41 takes long for it,
/// however soon its text has become too long.
bool repeats_character(std::string_view format) {
  constexpr std::size_t kMostDigits = 4;
  for (std::size_t at = format.find('%'); at < format.size(); at = format.find('%', at)) {
    std::size_t end =
        std::min(format.find_first_not_of("-+ #!,.*l0123456789", at + 1), format.size());
    std::string_view conversion = format.substr(at, end - at);
    std::size_t dot = conversion.find('.');
    bool is_long = conversion.find('*') != std::string_view::npos ||
                   (dot != std::string_view::npos && conversion.size() - dot - 1 > kMostDigits);
    if (is_long && end < format.size() && format[end] == 'c') return true;
    at = end + 1;
  }
  return false;
}

/// printf() of a database without limits, by its own statements.
class Printf {
 public:
  Printf() {
    if (sqlite3_open(":memory:", &plain_) == SQLITE_OK) {
      sqlite3_limit(plain_, SQLITE_LIMIT_LENGTH, kMostBytes);
    }
  }
  ~Printf() {
    for (const auto& [count, statement] : statements_) sqlite3_finalize(statement);
    sqlite3_close(plain_);
  }
  Printf(const Printf&) = delete;
  Printf& operator=(const Printf&) = delete;

  static void call(sqlite3_context* context, int count, sqlite3_value** values) {
    if (count > 0 && repeats_character(text_of(values[0]))) {
      return sqlite3_result_error(context, "%c is repeated too often", -1);
    }
    static_cast<Printf*>(sqlite3_user_data(context))->answer(context, count, values);
  }
  static void destroy(void* self) { delete static_cast<Printf*>(self); }

 private:
  void answer(sqlite3_context* context, int count, sqlite3_value** values) {
    sqlite3_stmt*& statement = statements_[count];
    if (!statement) {
      std::string query = "SELECT printf(";
      for (int i = 0; i < count; ++i) query += i == 0 ? "?" : ", ?";
      sqlite3_prepare_v2(plain_, (query + ")").c_str(), -1, &statement, nullptr);
    }
    if (!statement) return sqlite3_result_error_nomem(context);
    for (int i = 0; i < count; ++i) sqlite3_bind_value(statement, i + 1, values[i]);
    if (sqlite3_step(statement) == SQLITE_ROW) {
      sqlite3_result_value(context, sqlite3_column_value(statement, 0));
    } else {
      sqlite3_result_error(context, sqlite3_errmsg(plain_), -1);
    }
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
  }

  sqlite3* plain_ = nullptr;
  std::map<int, sqlite3_stmt*> statements_;  ///< by number of values
};

void refuse_json_patch(sqlite3_context* context, int, sqlite3_value**) {
  sqlite3_result_error(context, "not authorized to use function: json_patch", -1);
}

}  // namespace

void limit_for_strangers(sqlite3* database, const BagSet& set) {
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, kMostBytes);
  sqlite3_limit(database, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, kMostPatternBytes);
  auto add = [&](const char* name, int values,
                 void (*call)(sqlite3_context*, int, sqlite3_value**)) {
    sqlite3_create_function_v2(database, name, values,
                               SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                               const_cast<BagSet*>(&set), call, nullptr, nullptr, nullptr);
  };
  add("instr", 2, instr);
  add("replace", 3, replace);
  for (int values : {1, 2}) {
    add("trim", values, trim<kLeft | kRight>);
    add("ltrim", values, trim<kLeft>);
    add("rtrim", values, trim<kRight>);
  }
  add_like(database, set);
  add("json_patch", 2, refuse_json_patch);
  for (const char* name : {"printf", "format"}) {
    sqlite3_create_function_v2(database, name, -1,
                               SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, new Printf,
                               Printf::call, nullptr, nullptr, Printf::destroy);
  }
}

}  // namespace kitbag::sql
