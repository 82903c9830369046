#include "sql/field_conditions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/message.h"
#include "kitbag/pipeline.h"
#include "sql/database.h"
#include "tests/support/slow.h"
#include "tests/support/temporary_folder.h"

// Random conditions over random values. SQLite evaluates a condition alone if it stands in CASE: no
// table is asked about it then.

namespace kitbag::sql {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

class FieldConditionsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    add_bag("a.mcap", "float64 x\nint32 level\nstring name\nuint64 large\nint64 id\nint8 odd\n");
    // A field of another type, and one that is missing.
    add_bag("b.mcap",
            "float32 x\nuint16 level\nstring name\nuint64 large\nstring odd\nbool flag\n");
    database_ = std::make_unique<Database>(set_);
  }

  template <class T>
  T one_of(const std::vector<T>& values) {
    return values[random_() % values.size()];
  }

  std::string text() {
    return one_of<std::string>({"", "a", "A", "odom", "5", "5.0", " 5", "-1", "1e0", "x'y"});
  }

  template <class Value>
  static void append(std::vector<std::byte>& payload, Value value) {
    std::size_t at = payload.size();
    payload.resize(at + sizeof value);
    std::memcpy(payload.data() + at, &value, sizeof value);
  }

  void append_field(std::vector<std::byte>& payload, std::string_view type) {
    double real = one_of<double>({0, -0.0, 1, 2.5, -3, 1e300, NAN, INFINITY, -INFINITY, 5});
    if (type == "float64") return append(payload, real);
    if (type == "float32") return append(payload, static_cast<float>(real));
    auto small = static_cast<std::int8_t>(random_() % 8);
    if (type == "int8") return append(payload, static_cast<std::int8_t>(small - 3));
    if (type == "bool") return append(payload, static_cast<std::uint8_t>(small & 1));
    if (type == "uint16") return append(payload, static_cast<std::uint16_t>(small));
    if (type == "int32") return append(payload, static_cast<std::int32_t>(small - 4));
    if (type == "int64") {
      return append(payload, one_of<std::int64_t>({0, 1, -1, 5, kLargest, -kLargest - 1,
                                                   (1LL << 53) + 1, 1LL << 53, kLargest - 1}));
    }
    if (type == "uint64") {
      return append(payload, one_of<std::uint64_t>({0, 5, 1ULL << 63, UINT64_MAX, kLargest}));
    }
    std::string value = text();
    append(payload, static_cast<std::uint32_t>(value.size()));
    for (char c : value) append(payload, c);
  }

  void add_bag(const std::string& name, const std::string& definition) {
    auto schema = std::make_shared<Schema>(Schema{"test_msgs/State", "ros1msg", definition});
    auto channel = std::make_shared<Channel>(Channel{"/state", "ros1", schema});
    auto writer = set_->session.create(folder_.path(name), {});
    Batch batch;
    batch.channels = std::make_shared<Channels>(Channels{channel});
    std::vector<std::vector<std::byte>> payloads;
    for (int i = 0; i < 60; ++i) {
      std::vector<std::byte>& payload = payloads.emplace_back();
      for (std::size_t at = 0; at < definition.size(); at = definition.find('\n', at) + 1) {
        append_field(payload,
                     std::string_view(definition).substr(at, definition.find(' ', at) - at));
      }
    }
    for (const auto& payload : payloads) {
      Time time = from_ns(++time_ / 2);  // two at a time
      batch.add({channel.get(), 0, 0, time, time, payload});
    }
    writer->write(std::move(batch));
    writer->close();
    set_->bags.push_back({name, set_->session.open(folder_.path(name))});
  }

  std::string constant() {
    return one_of<std::string>({"0",
                                "1",
                                "5",
                                "-1",
                                "2.5",
                                "-3.0",
                                "1e300",
                                "1e999",
                                "-1e999",
                                "NULL",
                                "''",
                                "'a'",
                                "'A'",
                                "'5'",
                                "'5.0'",
                                "'odom'",
                                "x'61'",
                                "9223372036854775807",
                                "9223372036854775806",
                                "-9223372036854775808",
                                "9007199254740993",
                                "9007199254740992.0",
                                "9223372036854775808.0",
                                "18446744073709551615",
                                "'a.mcap'",
                                "'b.mcap'",
                                "(SELECT 5)",
                                "(SELECT 'a')",
                                "x",
                                "name"});
  }

  std::string column() {
    return one_of<std::string>({"x", "level", "name", "large", "id", "odd", "flag", "bag", "time"});
  }

  std::string constants() {
    std::string all = constant();
    for (std::size_t i = random_() % 4; i > 0; --i) all += ", " + constant();
    return all;
  }

  std::string comparison() {
    std::string left = column();
    std::string collation = one_of<std::string>({"", "", "", " COLLATE NOCASE"});
    switch (random_() % 8) {
      case 0:
        return fmt::format("{} IN ({})", left, constants());
      case 1:
        return fmt::format("{} NOT IN ({})", left, constants());
      case 2:
        return fmt::format("{} BETWEEN {} AND {}", left, constant(), constant());
      case 3:
        return fmt::format("{} IN (SELECT {} FROM state WHERE {} = {})", left, column(), column(),
                           constant());
      case 4:
        return fmt::format("({}, {}) {} ({}, {})", left, column(),
                           one_of<std::string>({"<", ">", "=", ">=", "<="}), constant(),
                           constant());
      default:
        return fmt::format(
            "{}{} {} {}", left, collation,
            one_of<std::string>({"<", ">", "=", "<=", ">=", "<>", "IS", "IS NOT", "=", "="}),
            constant());
    }
  }

  std::string condition(int depth = 0) {
    if (depth == 3) return comparison();
    switch (random_() % 5) {
      case 0:
        return fmt::format("({} OR {})", condition(depth + 1), condition(depth + 1));
      case 1:
        return fmt::format("({} AND {})", condition(depth + 1), condition(depth + 1));
      case 2:
        return fmt::format("NOT ({})", condition(depth + 1));
      default:
        return comparison();
    }
  }

  std::int64_t number(const std::string& query) {
    auto answer = database_->query(query);
    EXPECT_TRUE(answer->next());
    return std::get<std::int64_t>(answer->value(0));
  }

  TemporaryFolder folder_;
  std::mt19937_64 random_{17};
  std::int64_t time_ = 2'000'000'000;
  std::shared_ptr<BagSet> set_ = std::make_shared<BagSet>();
  std::unique_ptr<Database> database_;
};

TEST_F(FieldConditionsTest, TheSameRowsAsWithoutThem) {
  constexpr int kCases = test::kIsSlow ? 500 : 2000;
  int matched = 0;
  for (int i = 0; i < kCases; ++i) {
    std::string all = condition();
    // Rows by what they are: two have one time.
    const std::string what =
        "count(*) * 1000000 + coalesce(sum(time % 1000 * 7 + (bag = 'a.mcap') "
        "+ 3 * coalesce(level, 11)), 0)";
    std::int64_t found = 0;
    try {
      found = number(fmt::format("SELECT {} FROM state WHERE {}", what, all));
    } catch (const Error& error) {  // times are not compared with texts
      ASSERT_THAT(error.what(), ::testing::HasSubstr("the column time is in nanoseconds")) << all;
      continue;
    }
    std::int64_t expected =
        number(fmt::format("SELECT {} FROM state WHERE CASE WHEN {} THEN 1 END", what, all));
    ASSERT_EQ(found, expected) << all;
    matched += found > 0 ? 1 : 0;
  }
  EXPECT_GT(matched, kCases / 4);
}

TEST_F(FieldConditionsTest, TheOtherSideMayBeAColumn) {
  for (const char* condition :
       {"a.level = b.level", "a.x < b.x", "a.name = b.name", "a.odd = b.name", "a.large = b.x",
        "a.id = b.large", "a.level IN (b.level, b.odd)", "a.name = b.odd AND a.level > b.level",
        "a.level = b.level OR a.id = b.large",
        "(a.level, a.name) IN (SELECT level, odd FROM state)",
        "(a.time, a.level) IN (SELECT time, level FROM state WHERE x > 0)"}) {
    const std::string join = "SELECT count(*) FROM state a {} JOIN state b ON {} WHERE {}";
    for (const char* kind : {"", "LEFT"}) {
      EXPECT_EQ(
          number(fmt::format(fmt::runtime(join), kind, condition, "b.time % 5 = 0")),
          number(fmt::format(fmt::runtime(join), kind,
                             fmt::format("CASE WHEN {} THEN 1 END", condition), "b.time % 5 = 0")))
          << condition;
    }
  }
}

}  // namespace
}  // namespace kitbag::sql
