#include "catalog/bag_search.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "catalog/bag_order.h"
#include "catalog/bag_query.h"
#include "catalog/bag_rows.h"
#include "catalog/schema.h"
#include "database/sqlite.h"
#include "kitbag/error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

// What an index finds is compared with what plain SQL finds, which reads all. And no statement of a
// page may read a table from end to end.

namespace kitbag::catalog {
namespace {

using std::chrono::hours;
using std::chrono::nanoseconds;

constexpr std::int64_t kBags = 2400;
constexpr std::int64_t kStepNs = 3'600'000'000'000;
constexpr std::int64_t kStartNs = 1'700'000'000'000'000'000;

/// Passes all on, and notes the statements.
class NotingDatabase final : public Database {
 public:
  explicit NotingDatabase(Database& database) : database_(database) {}
  const SqlDialect& dialect() const override { return database_.dialect(); }
  void run(const std::string& statement, std::span<const SqlValue> parameters,
           const std::function<void(SqlRow& row)>& on_row) override {
    noted.emplace_back(statement, std::vector<SqlValue>(parameters.begin(), parameters.end()));
    database_.run(statement, parameters, on_row);
  }
  void begin_writing() override { database_.begin_writing(); }

  std::vector<std::pair<std::string, std::vector<SqlValue>>> noted;

 private:
  Database& database_;
};

/// Bags with topics, tags and texts that some have, and few, and none of the newest.
class SearchOfBags : public ::testing::Test {
 protected:
  void SetUp() override {
    database_ = connect_sqlite(folder_.path("fleet.db"), {.may_create = true});
    create_schema(*database_, "fleet.db");
    SqlTransaction transaction(*database_);
    for (const char* topic : {"/camera/left", "/camera/right", "/battery", "/sonar", "/rare"}) {
      database_->run(
          "INSERT INTO channels (topic, type, encoding, schema_hash) VALUES "
          "($1, 'std_msgs/Int32', 'ros1', '')",
          {std::string(topic)});
    }
    for (std::int64_t number = 1; number <= kBags; ++number) add_bag(number);
    transaction.commit();
  }

  void add_bag(std::int64_t number) {
    // Times are not in the order of numbers, and some are the same.
    std::int64_t start = kStartNs + number * 7919 % kBags / 2 * kStepNs;
    std::int64_t length = number % 500 == 3 ? 100 * kStepNs : kStepNs / 2;
    bool is_empty = number % 97 == 0;
    database_->run(
        "INSERT INTO bags (bag, fingerprint, format, size_bytes, start_ns, end_ns, "
        "messages, damage, note, added_ns, parts_ns) "
        "VALUES ($1, $2, 'mcap', 1, $3, $4, $5, '', $6, 0, 1)",
        {number, fmt::format("{:064x}", number), is_empty ? 0 : start,
         is_empty ? 0 : start + length, std::int64_t{is_empty ? 0 : 10},
         std::string(number % 50 == 1 ? "Das Rad ÜBER dem 50%_\"Stein\"" : "")});
    database_->run("INSERT INTO files (path, bag, size_bytes, modified_ns) VALUES ($1, $2, 1, 1)",
                   {fmt::format("/data/r{}/drive_{:05}.mcap", number % 9, number), number});
    set_tag(number, "robot", fmt::format("r{}", number % 9));
    bool is_old = start < kStartNs + kBags / 8 * kStepNs;
    std::vector<int> channels{number % 2 == 0 ? 1 : 2};
    if (number % 3 == 0) channels.push_back(3);
    if (is_old) channels.push_back(4);
    if (number % 1000 == 1) channels.push_back(5);
    for (int channel : channels) {
      database_->run(
          "INSERT INTO bag_channels (bag, channel, messages) "
          "VALUES ($1, $2, 1)",
          {number, std::int64_t{channel}});
    }
    if (number % 40 == 2) {
      database_->run("INSERT INTO events (bag, start_ns, end_ns, name) VALUES ($1, 0, 0, 'Slip')",
                     {number});
    }
  }

  void set_tag(std::int64_t bag, const std::string& name, const std::string& value) {
    database_->run(
        "INSERT INTO tags (bag, name, value) VALUES ($1, $2, $3) "
        "ON CONFLICT (bag, name) DO UPDATE SET value = excluded.value",
        {bag, name, value});
  }

  std::vector<std::int64_t> found(const CatalogQuery& query) {
    std::vector<std::int64_t> bags;
    find_bags(*database_, query, [&](const CatalogBag& bag) { bags.push_back(bag.number); });
    return bags;
  }

  /// The same, by SQL that reads all bags.
  std::vector<std::int64_t> expected(const CatalogQuery& query) {
    BagQuery wanted = bag_query(*database_, query);
    std::vector<std::int64_t> bags;
    if (wanted.is_empty) return bags;
    const char* order = query.is_newest_first ? "DESC" : "ASC";
    for (const SqlRow& row : database_->run(
             fmt::format("SELECT bags.bag FROM bags {} ORDER BY bags.start_ns {}, bags.bag {}",
                         wanted.where, order, order),
             wanted.parameters)) {
      bags.push_back(whole_in(row, 0));
    }
    return bags;
  }

  static CatalogQuery of(const std::string& topic, const std::string& text = "") {
    CatalogQuery query{.text = text};
    query.query.select.topics = {topic};
    return query;
  }
  static CatalogQuery between(Time begin, Time end, const std::string& text = "") {
    CatalogQuery query{.text = text};
    query.query.begin = begin;
    query.query.end = end;
    return query;
  }

  static std::vector<CatalogQuery> queries() {
    std::vector<CatalogQuery> made(1);
    for (const char* topic : {"/camera/*", "/camera/left", "/sonar", "/rare", "/none"}) {
      made.push_back(of(topic));
      made.push_back(of(topic, "drive"));
      made.push_back(of(topic));
      made.back().query.select.topics.emplace_back("/battery");
      made.back().tags = {{"robot", "r5"}};
      made.push_back(of(topic));
      made.back().query.begin = from_ns(kStartNs + 100 * kStepNs);
    }
    for (const char* text :
         {"drive_00123", "DRIVE", "r7", "x", "über", "ÜBER", "ÜB", "Rad ", "50%_", "%", "_\"",
          "\"Stein", "slip", "robot", "no such", "r8/drive_0"}) {
      made.push_back({.text = text});
      made.push_back(between(Time::min(), from_ns(kStartNs + 300 * kStepNs), text));
    }
    Time middle = from_ns(kStartNs + kBags / 4 * kStepNs);
    for (nanoseconds length : {nanoseconds(1), nanoseconds(hours(5)), nanoseconds(hours(900))}) {
      made.push_back(between(middle, middle + length));
    }
    made.push_back(between(middle, Time::max()));
    made.back().query.longer_than = hours(1);
    made.back().tags = {{"robot", "r1"}};
    made.push_back({.tags = {{"robot", "r1"}}});
    made.push_back({.tags = {{"robot", "r77"}}});
    return made;
  }

  TemporaryFolder folder_;
  std::unique_ptr<Database> database_;
};

TEST_F(SearchOfBags, FindsWhatPlainSqlFinds) {
  std::size_t number = 0;
  for (CatalogQuery query : queries()) {
    SCOPED_TRACE(fmt::format("query {}, text \"{}\"", number++, query.text));
    for (bool is_newest_first : {true, false}) {
      query.is_newest_first = is_newest_first;
      std::vector<std::int64_t> all = expected(query);
      EXPECT_EQ(found(query), all);
      EXPECT_EQ(count_bags(*database_, query, UINT64_MAX), all.size());
      EXPECT_EQ(count_bags(*database_, query, 100), std::min<std::size_t>(all.size(), 100));
      CatalogQuery part = query;
      part.skip = all.size() / 3;
      part.most = 70;
      auto from = all.begin() + std::ptrdiff_t(part.skip);
      std::size_t size = std::min<std::size_t>(70, all.size() - part.skip);
      EXPECT_EQ(found(part), std::vector(from, from + std::ptrdiff_t(size)));
    }
  }
}

TEST_F(SearchOfBags, GoesOnBehindACursor) {
  for (CatalogQuery query : queries()) {
    for (bool is_newest_first : {true, false}) {
      query.is_newest_first = is_newest_first;
      query.most = 400;
      std::vector<std::int64_t> paged;
      for (std::size_t before = SIZE_MAX; before != paged.size();) {
        before = paged.size();
        find_bags(*database_, query, [&](const CatalogBag& bag) {
          paged.push_back(bag.number);
          query.after = kitbag::cursor_of(bag);
        });
      }
      EXPECT_EQ(paged, expected(query)) << query.text;
      query.after.clear();
    }
  }
}

TEST_F(SearchOfBags, RefusesWhatIsNoCursor) {
  for (const char* cursor :
       {"x", "0123456789abcdef0123456789abcde", "0123456789abcdef0123456789abcdeg",
        "0123456789abcdef0123456789abcdef0"}) {
    EXPECT_ERROR(invalid, found({.after = cursor}));
  }
}

TEST_F(SearchOfBags, TextsAreFoundAsTheyAreNow) {
  auto numbers = [&](const std::string& text) { return found({.text = text}); };
  set_tag(7, "weather", "hailstorm");
  EXPECT_EQ(numbers("HAILSTORM"), std::vector<std::int64_t>{7});
  set_tag(7, "weather", "sunshine");
  EXPECT_TRUE(numbers("hailstorm").empty());
  database_->run("UPDATE files SET path = '/moved/there.mcap' WHERE bag = 8");
  EXPECT_EQ(numbers("moved/there"), std::vector<std::int64_t>{8});
  EXPECT_TRUE(numbers("drive_00008").empty());
  database_->run("UPDATE bags SET note = 'geyser' WHERE bag = 9");
  database_->run("INSERT INTO events (bag, start_ns, end_ns, name) VALUES (10, 0, 0, 'geyser')");
  EXPECT_EQ(numbers("geyser").size(), 2U);
  database_->run("UPDATE events SET bag = 11 WHERE name = 'geyser'");
  database_->run("DELETE FROM bags WHERE bag = 9");
  EXPECT_EQ(numbers("geyser"), std::vector<std::int64_t>{11});
  database_->run("DELETE FROM events WHERE name = 'geyser'");
  EXPECT_TRUE(numbers("geyser").empty());
  // What is gone leaves nothing behind.
  EXPECT_EQ(whole_in(database_->run("SELECT COUNT(*) FROM bag_texts")[0], 0), kBags - 1);
}

TEST_F(SearchOfBags, ReadsNoTableFromEndToEnd) {
  std::vector<CatalogQuery> pages = queries();
  for (CatalogQuery& query : pages) {
    query.most = 50;
    if (query.text.size() == 1 || query.text == "_\"" || query.text == "ÜB") query.text.clear();
    NotingDatabase noting(*database_);
    find_bags(noting, query, [](const CatalogBag&) {});
    count_bags(noting, query, 50);
    for (const auto& [statement, parameters] : noting.noted) {
      for (const SqlRow& row : database_->run("EXPLAIN QUERY PLAN " + statement, parameters)) {
        const std::string& step = text_in(row, 3);
        bool is_few = step.starts_with("SCAN channels") || step.starts_with("SCAN part") ||
                      step == "SCAN counted" || step == "SCAN CONSTANT ROW" ||
                      step.starts_with("SCAN bag_texts VIRTUAL TABLE INDEX") ||
                      step.starts_with("SCAN (subquery") ||
                      // In the order of the list, to the end of the page.
                      step == "SCAN bags USING COVERING INDEX bags_by_start";
        EXPECT_TRUE(!step.starts_with("SCAN") || is_few) << step << " in " << statement;
      }
    }
  }
}

}  // namespace
}  // namespace kitbag::catalog
