#include "sql/like.h"

#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <cstring>

// LIKE and GLOB compare each place of a text with a pattern, in one step of SQLite's machine: a
// long text and a pattern of 100 bytes keep a thread busy for half a minute. What is here answers
// the same, also for texts that are not UTF-8, and looks at the stop in between.
//
// Texts end with a zero byte. A wildcard is tried by recursion; once what follows a later wildcard
// is nowhere in the rest of the text, no other place of an earlier one helps, and the search ends.
// So the time is that of the text times the pattern, and the depth that of the wildcards.

namespace kitbag::sql {
namespace {

constexpr unsigned kStepsBetweenLooks = 1 << 16;

enum class LikeOutcome : std::uint8_t { match, no_match, none_behind_wildcard, stopped };

using Chars = const unsigned char*;

/// The next character, or 0 at the end, where `text` must not be used any more.
std::uint32_t take_char(Chars& text) {
  std::uint32_t c = *text++;
  if (c < 0xc0) return c;
  constexpr std::array<std::uint32_t, 8> kBits = {0x1f, 0x1f, 0x1f, 0x1f, 0x0f, 0x0f, 0x07, 0};
  std::uint32_t bits = kBits.at((c - 0xc0) / 8);
  if (c >= 0xf8) bits = c < 0xfc ? 0x03 : 0x01;
  c &= c >= 0xfe ? 0 : bits;
  while ((*text & 0xc0U) == 0x80) c = (c << 6U) + (0x3fU & *text++);
  bool is_none = c < 0x80 || (c & 0xfffff800U) == 0xd800 || (c & 0xfffffffeU) == 0xfffe;
  return is_none ? 0xfffd : c;
}

std::uint32_t lower_case(std::uint32_t c) {
  return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

struct LikeWildcards {
  std::uint32_t all;
  std::uint32_t one;
  std::uint32_t other;  ///< what begins a set, or escapes; 0: nothing
  bool has_sets;        ///< of GLOB, which also heeds case
};

class LikeMatcher {
 public:
  LikeMatcher(const LikeWildcards& wildcards, const BagSet& set)
      : wildcards_(wildcards), set_(set) {}

  LikeOutcome match(Chars pattern, Chars text) {
    Chars escaped = nullptr;  // behind a character that stands for itself
    while (std::uint32_t c = take_char(pattern)) {
      if (is_stopped()) return LikeOutcome::stopped;
      if (c == wildcards_.all) return match_behind_wildcard(pattern, text);
      if (c == wildcards_.other && wildcards_.has_sets) {
        if (!match_set(pattern, text)) return LikeOutcome::no_match;
        continue;
      }
      if (c == wildcards_.other && c != 0) {
        c = take_char(pattern);
        if (c == 0) return LikeOutcome::no_match;
        escaped = pattern;
      }
      std::uint32_t found = take_char(text);
      if (is_same(c, found)) continue;
      if (c == wildcards_.one && pattern != escaped && found != 0) continue;
      return LikeOutcome::no_match;
    }
    return *text == 0 ? LikeOutcome::match : LikeOutcome::no_match;
  }

 private:
  bool is_stopped() { return ++steps_ % kStepsBetweenLooks == 0 && set_.stop.stop_requested(); }

  bool is_same(std::uint32_t c, std::uint32_t found) const {
    return c == found || (!wildcards_.has_sets && lower_case(c) == lower_case(found));
  }

  LikeOutcome match_behind_wildcard(Chars pattern, Chars text) {
    Chars at = pattern;  // of c
    std::uint32_t c = take_char(pattern);
    for (; c == wildcards_.all || (c == wildcards_.one && c != 0); c = take_char(pattern)) {
      if (c == wildcards_.one && take_char(text) == 0) return LikeOutcome::none_behind_wildcard;
      at = pattern;
    }
    if (c == 0) return LikeOutcome::match;
    bool is_set = c == wildcards_.other && wildcards_.has_sets;
    if (c == wildcards_.other && !is_set) {
      c = take_char(pattern);
      if (c == 0) return LikeOutcome::none_behind_wildcard;
    }
    while (*text != 0) {
      if (is_stopped()) return LikeOutcome::stopped;
      Chars place = text;
      std::uint32_t found = take_char(text);
      if (!is_set && !is_same(c, found)) continue;
      LikeOutcome outcome = is_set ? match(at, place) : match(pattern, text);
      if (outcome != LikeOutcome::no_match) return outcome;
    }
    return LikeOutcome::none_behind_wildcard;
  }

  /// Of a set, whose bracket has been taken, and the next character of the text.
  static bool match_set(Chars& pattern, Chars& text) {
    std::uint32_t c = take_char(text);
    if (c == 0) return false;
    std::uint32_t each = take_char(pattern);
    bool is_inverse = each == '^';
    if (is_inverse) each = take_char(pattern);
    bool is_in = false;
    if (each == ']') {
      is_in = c == ']';
      each = take_char(pattern);
    }
    for (std::uint32_t before = 0; each != 0 && each != ']'; each = take_char(pattern)) {
      if (each == '-' && *pattern != ']' && *pattern != 0 && before > 0) {
        each = take_char(pattern);
        is_in |= c >= before && c <= each;
        before = 0;
      } else {
        is_in |= c == each;
        before = each;
      }
    }
    return each != 0 && is_in != is_inverse;
  }

  const LikeWildcards& wildcards_;
  const BagSet& set_;
  unsigned steps_ = 0;
};

Chars chars_of(sqlite3_value* value) {
  return sqlite3_value_text(value);
}

bool is_blob(sqlite3_value* value) {
  return sqlite3_value_type(value) == SQLITE_BLOB;
}

/// Some systems have built SQLite so that blobs match nothing.
bool heeds_no_blobs() {
  static const bool heeds = sqlite3_compileoption_used("LIKE_DOESNT_MATCH_BLOBS") != 0;
  return heeds;
}

void answer_like(sqlite3_context* context, const LikeWildcards& wildcards, sqlite3_value** values) {
  if (heeds_no_blobs() && (is_blob(values[0]) || is_blob(values[1]))) {
    return sqlite3_result_int(context, 0);
  }
  int most =
      sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LIKE_PATTERN_LENGTH, -1);
  if (sqlite3_value_bytes(values[0]) > most) {
    return sqlite3_result_error(context, "LIKE or GLOB pattern too complex", -1);
  }
  Chars pattern = chars_of(values[0]);
  Chars text = chars_of(values[1]);
  if (!pattern || !text) return;
  LikeMatcher matcher(wildcards, *static_cast<const BagSet*>(sqlite3_user_data(context)));
  LikeOutcome outcome = matcher.match(pattern, text);
  if (outcome == LikeOutcome::stopped) return sqlite3_result_error_code(context, SQLITE_INTERRUPT);
  sqlite3_result_int(context, outcome == LikeOutcome::match ? 1 : 0);
}

void call_glob(sqlite3_context* context, int /*count*/, sqlite3_value** values) {
  answer_like(context, {.all = '*', .one = '?', .other = '[', .has_sets = true}, values);
}

void call_like(sqlite3_context* context, int count, sqlite3_value** values) {
  LikeWildcards wildcards{.all = '%', .one = '_', .other = 0, .has_sets = false};
  if (count == 3) {
    Chars escape = chars_of(values[2]);
    if (!escape) return;
    Chars end = escape;
    if (*escape != 0) wildcards.other = take_char(end);
    if (*escape == 0 || *end != 0) {
      return sqlite3_result_error(context, "ESCAPE expression must be a single character", -1);
    }
    if (wildcards.other == wildcards.all) wildcards.all = 0;
    if (wildcards.other == wildcards.one) wildcards.one = 0;
  }
  answer_like(context, wildcards, values);
}

}  // namespace

void add_like(sqlite3* database, const BagSet& set) {
  auto add = [&](const char* name, int values,
                 void (*call)(sqlite3_context*, int, sqlite3_value**)) {
    sqlite3_create_function_v2(database, name, values,
                               SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                               const_cast<BagSet*>(&set), call, nullptr, nullptr, nullptr);
  };
  add("like", 2, call_like);
  add("like", 3, call_like);
  add("glob", 2, call_glob);
}

}  // namespace kitbag::sql
