#include "sql/limits.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <random>
#include <stop_token>
#include <string>
#include <vector>

#include "tests/support/slow.h"

namespace kitbag::sql {
namespace {

constexpr int kCases = test::kIsSlow ? 2'000 : 20'000;

/// SQLite as it is, and with the limits.
class LimitsTest : public ::testing::Test {
 protected:
  LimitsTest() {
    sqlite3_open(":memory:", &plain_);
    sqlite3_open(":memory:", &limited_);
    set_.stop = stop_.get_token();
    limit_for_strangers(limited_, set_);
  }
  ~LimitsTest() override {
    sqlite3_close(plain_);
    sqlite3_close(limited_);
  }

  /// The type and the bytes of the value of an expression, or the error.
  static std::string value_of(sqlite3* database, const std::string& expression) {
    sqlite3_stmt* statement = nullptr;
    std::string query = "SELECT " + expression;
    EXPECT_EQ(sqlite3_prepare_v2(database, query.c_str(), -1, &statement, nullptr), SQLITE_OK);
    std::string text = sqlite3_errmsg(database);
    if (sqlite3_step(statement) == SQLITE_ROW) {
      const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, 0));
      auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, 0));
      text = fmt::format("{} ", sqlite3_column_type(statement, 0)) + std::string(bytes, size);
    } else {
      text = sqlite3_errmsg(database);
    }
    sqlite3_finalize(statement);
    return text;
  }

  std::stop_source stop_;
  BagSet set_;
  sqlite3* plain_ = nullptr;
  sqlite3* limited_ = nullptr;
};

TEST_F(LimitsTest, FunctionsAnswerAsThoseOfSqlite) {
  std::mt19937 random(7);
  auto pick = [&](std::size_t count) { return random() % count; };
  // Letters, parts of characters, a zero byte.
  const std::vector<std::string> bytes = {"61", "62", "c3", "a9", "80",
                                          "e2", "82", "f0", "61", "00"};
  auto value = [&] {
    if (pick(20) == 0) return std::string("NULL");
    if (pick(20) == 0) return std::string("1.5");
    std::string hex;
    for (std::size_t left = pick(8); left > 0; --left) hex += bytes[pick(bytes.size())];
    return pick(3) == 0 ? "x'" + hex + "'" : "CAST(x'" + hex + "' AS TEXT)";
  };
  for (int i = 0; i < kCases; ++i) {
    std::string a = value();
    std::string b = value();
    std::string c = value();
    for (const std::string& expression :
         {fmt::format("instr({}, {})", a, b), fmt::format("replace({}, {}, {})", a, b, c),
          fmt::format("trim({}, {})", a, b), fmt::format("ltrim({}, {})", a, b),
          fmt::format("rtrim({}, {})", a, b), fmt::format("trim({})", a)}) {
      ASSERT_EQ(value_of(limited_, expression), value_of(plain_, expression)) << expression;
    }
  }
}

TEST_F(LimitsTest, NoCallTakesTheProductOfTwoTexts) {
  auto begin = std::chrono::steady_clock::now();
  const std::string zeros = "hex(zeroblob(8000000))";
  const std::string half = "hex(zeroblob(4000000))";
  EXPECT_EQ(value_of(limited_, fmt::format("instr({}, {} || '1')", zeros, half)), "1 0");
  EXPECT_EQ(value_of(limited_, fmt::format("length(replace({}, {} || '1', ''))", zeros, half)),
            "1 16000000");
  // These end with the query.
  stop_.request_stop();
  for (const char* name : {"trim", "ltrim", "rtrim"}) {
    EXPECT_EQ(
        value_of(limited_, fmt::format("{}({}, replace({}, '0', '1') || '0')", name, zeros, half)),
        "interrupted");
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST_F(LimitsTest, PrintfRepeatsNoCharacterForLong) {
  for (const char* values : {"", "'%%c %d%%'", "'%d', 7", "'%5.2f|%-8s|%s', 1.23456, 'a', NULL",
                             "'%.20c%c', 'x', 'yz'", "NULL", "'%!.15g %,d', 0.1, 1234567",
                             "'%*d|%.*f', 5, 1, 2, 2.5", "'%Q %', 'it''s'", "'%'"}) {
    std::string call = fmt::format("printf({})", values);
    EXPECT_EQ(value_of(limited_, call), value_of(plain_, call)) << call;
  }
  for (const char* values : {"'%.*c', 900000000, 'x'", "'%.900000000c', 'x'", "'%d %-0.99999lc'",
                             "'%%%*c', 900000000, 'x'"}) {
    for (const char* name : {"printf", "format"}) {
      EXPECT_EQ(value_of(limited_, fmt::format("{}({})", name, values)),
                "%c is repeated too often");
    }
  }
}

TEST_F(LimitsTest, PatternsMatchAsThoseOfSqlite) {
  std::mt19937 random(11);
  auto made_of = [&](const std::vector<std::string>& parts, std::size_t most) {
    std::string all;
    for (std::size_t count = random() % (most + 1); count > 0; --count) {
      all += parts[random() % parts.size()];
    }
    return "CAST(x'" + all + "' AS TEXT)";
  };
  // Letters of both cases, é, parts of characters, a zero byte, wildcards and what is in sets.
  const std::vector<std::string> texts = {"61", "41", "62", "c3a9", "c3", "a9", "f8", "ff",
                                          "25", "5f", "5d", "2d",   "e4", "40", "60"};
  std::vector<std::string> patterns = texts;
  for (const char* each : {"25", "25", "5f", "2a", "2a", "3f", "5b", "5b615d", "5b5e625d",
                           "5b412d625d", "5b5d5d", "5b612d5d", "00"}) {
    patterns.emplace_back(each);
  }
  int matches = 0;
  for (int i = 0; i < kCases; ++i) {
    std::string text = made_of(texts, 5);
    std::string pattern = made_of(patterns, 5);
    for (const std::string& call :
         {fmt::format("{} LIKE {}", text, pattern), fmt::format("{} GLOB {}", text, pattern),
          fmt::format("{} LIKE {} ESCAPE {}", text, pattern, made_of({"61", "25", "5f"}, 1))}) {
      std::string answer = value_of(plain_, call);
      EXPECT_EQ(value_of(limited_, call), answer) << call;
      if (answer == "1 1") ++matches;
    }
  }
  EXPECT_GT(matches, kCases / 20);
  for (const char* call : {"NULL LIKE 'a'", "'a' LIKE NULL", "'a' LIKE 'a' ESCAPE NULL",
                           "12 LIKE '1%'", "x'61' GLOB 'a'", "'a' LIKE 'a' ESCAPE 'ab'"}) {
    EXPECT_EQ(value_of(limited_, call), value_of(plain_, call)) << call;
  }
}

TEST_F(LimitsTest, PatternsLookAtTheStop) {
  stop_.request_stop();
  for (const char* call :
       {"hex(zeroblob(100000)) LIKE '%00000001'", "hex(zeroblob(100000)) GLOB '*[0][0][0]*[1]'",
        "hex(zeroblob(100000)) LIKE '%x'"}) {
    EXPECT_EQ(value_of(limited_, call), "interrupted") << call;
  }
}

TEST_F(LimitsTest, TextsAreLimited) {
  EXPECT_EQ(value_of(limited_, "printf('%900000000d', 1)"), value_of(plain_, "NULL"));
  EXPECT_EQ(value_of(limited_, "replace(hex(zeroblob(1000000)), '0', '0123456789012345678901')"),
            "string or blob too big");
  EXPECT_EQ(value_of(limited_, "'x' LIKE hex(zeroblob(100))"), "LIKE or GLOB pattern too complex");
  EXPECT_EQ(value_of(limited_, "json_patch('{}', '{}')"),
            "not authorized to use function: json_patch");
}

}  // namespace
}  // namespace kitbag::sql
