#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "kitbag/damage.h"
#include "kitbag/error.h"
#include "kitbag/session.h"
#include "storage/sqlite3/database.h"
#include "storage/sqlite3/format.h"
#include "storage/sqlite3/reader.h"
#include "storage/sqlite3/test_channels.h"
#include "storage/sqlite3/verify.h"
#include "storage/sqlite3/write/create_tables.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

// Bags whose tables another program has made or changed, and those of old versions of rosbag2.

namespace kitbag::sqlite3 {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTopicsTable =
    "CREATE TABLE topics(id INTEGER PRIMARY KEY,name TEXT NOT NULL,type TEXT NOT NULL,"
    "serialization_format TEXT NOT NULL,offered_qos_profiles TEXT NOT NULL);"
    "INSERT INTO topics VALUES (1, '/a', 'std_msgs/msg/String', 'cdr', '');";
constexpr const char* kMessagesTable =
    "CREATE TABLE messages(id INTEGER PRIMARY KEY,topic_id INTEGER NOT NULL,"
    "timestamp INTEGER NOT NULL, data BLOB NOT NULL);";
constexpr const char* kIndex = "CREATE INDEX timestamp_idx ON messages (timestamp ASC);";
constexpr std::int64_t kRows = 500;

/// kRows messages; every hundredth is longer than a page.
constexpr const char* kFill =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) "
    "INSERT INTO messages(topic_id, timestamp, data) "
    "SELECT 1, i * 1000, zeroblob(CASE WHEN i % 100 = 0 THEN 9000 ELSE 30 END) FROM n;";

class ForeignTables : public ::testing::Test {
 protected:
  void make(const std::vector<const char*>& statements) {
    std::ofstream{path_};
    Database database(path_, path_);
    for (const char* sql : statements) database.run(sql);
    database.close();
  }
  std::string whole() const {
    std::ifstream stream(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  BagPtr open(const std::string& bytes) {
    problems_.clear();
    ReadOptions options{.on_problem = [this](const Error& e) { problems_.push_back(e); }};
    return open_bag({path_, {}, memory_file(as_bytes(bytes)), nullptr}, options);
  }
  /// The times of the messages, and the sizes of their payloads.
  std::vector<std::pair<std::int64_t, std::size_t>> read(const Bag& bag, Order order) {
    std::vector<std::pair<std::int64_t, std::size_t>> all;
    Query query;
    query.order = order;
    auto source = bag.read(query);
    for (Batch batch; source->read(batch, {}); batch.clear()) {
      for (const Message& m : std::as_const(batch).messages()) {
        all.emplace_back(to_ns(m.log_time), m.data.size());
      }
    }
    return all;
  }
  void expect_whole() {
    std::string bytes = whole();
    for (Order order : {Order::file, Order::time}) {
      auto bag = open(bytes);
      ASSERT_EQ(bag->summary().channels->size(), 1U);
      const Channel& channel = *(*bag->summary().channels)[0];
      EXPECT_EQ(channel.topic, "/a");
      EXPECT_EQ(channel.type(), "std_msgs/msg/String");
      auto found = read(*bag, order);
      ASSERT_EQ(found.size(), std::size_t{kRows});
      for (std::int64_t i = 0; i < kRows; ++i) {
        auto at = static_cast<std::size_t>(i);
        ASSERT_EQ(found[at].first, (i + 1) * 1000);
        ASSERT_EQ(found[at].second, (i + 1) % 100 == 0 ? 9000U : 30U);
      }
    }
    ReadOptions options{.on_problem = [this](const Error& e) { problems_.push_back(e); }};
    check_bag({path_, {}, memory_file(as_bytes(bytes)), nullptr}, options);
    for (const Error& problem : problems_) ADD_FAILURE() << problem.what();
  }
  /// Appends a message on /b, whose type has a definition.
  void append() {
    auto writer = sqlite3_format().append(path_, {}, Session(Registry()));
    auto channels = two_channels();
    Batch batch;
    batch.channels = channels;
    batch.add(
        {(*channels)[1].get(), 0, 0, from_ns(9'000'000), from_ns(9'000'000), as_bytes("new")});
    writer->write(std::move(batch));
    writer->close();
  }
  void expect_appended() {
    append();
    std::string bytes = whole();
    auto bag = open(bytes);
    EXPECT_EQ(bag->summary().messages, std::uint64_t{kRows} + 1);
    const Channel& added = *bag->summary().channels->back();
    EXPECT_EQ(added.topic, "/b");
    EXPECT_EQ(added.schema->text, "string data\n");
    EXPECT_EQ(read(*bag, Order::time).back().first, 9'000'000);
    for (const Error& problem : problems_) ADD_FAILURE() << problem.what();
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.path("bag.db3");
  std::vector<Error> problems_;
};

TEST_F(ForeignTables, ColumnsMayStandInAnyOrder) {
  make(
      {"CREATE TABLE topics(offered_qos_profiles TEXT, type TEXT, \"Name\" TEXT, id INTEGER "
       "PRIMARY KEY, serialization_format TEXT);"
       "INSERT INTO topics VALUES ('', 'std_msgs/msg/String', '/a', 1, 'cdr');",
       "CREATE TABLE messages(data BLOB NOT NULL, timestamp INTEGER NOT NULL, id INTEGER PRIMARY "
       "KEY, topic_id INTEGER NOT NULL);",
       kIndex, kFill});
  expect_whole();
}

TEST_F(ForeignTables, RowsFromBeforeAColumnWasAddedHaveItsDefault) {
  make(
      {"CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT);"
       "INSERT INTO topics VALUES (1, '/a');"
       "ALTER TABLE topics ADD COLUMN note TEXT;"
       "ALTER TABLE topics ADD COLUMN type TEXT NOT NULL DEFAULT 'std_msgs/msg/String';"
       "ALTER TABLE topics ADD COLUMN serialization_format TEXT DEFAULT 'json';",
       kMessagesTable, kFill,
       "CREATE TABLE old AS SELECT timestamp, data FROM messages; DROP TABLE messages;"
       "ALTER TABLE old RENAME TO messages;"
       "ALTER TABLE messages ADD COLUMN topic_id INTEGER NOT NULL DEFAULT 1;",
       kIndex});
  expect_whole();
  EXPECT_EQ((*open(whole())->summary().channels)[0]->encoding, "json");
}

TEST_F(ForeignTables, TopicsHaveTheirIdsWithoutAPrimaryKey) {
  make({kTopicsTable, kMessagesTable, kFill,
        "CREATE TABLE others(id INTEGER, name TEXT, type TEXT);"
        "INSERT INTO others VALUES (7, '/a', 'std_msgs/msg/String'); DROP TABLE topics;"
        "ALTER TABLE others RENAME TO topics; UPDATE messages SET topic_id = 7;",
        kIndex});
  expect_whole();
}

/// Rows of other columns than rosbag2's are found in all pages, too.
TEST_F(ForeignTables, APageGoneTakesOnlyItsOwnMessages) {
  make({kTopicsTable, kMessagesTable, kFill,
        "ALTER TABLE messages ADD COLUMN note TEXT DEFAULT 'x';",
        "UPDATE messages SET note = 'y' WHERE id > 250;"});
  std::string sound = whole();
  constexpr std::size_t kPage = 4096;
  for (std::size_t page = 2; page < sound.size() / kPage; ++page) {
    std::string holed = sound;
    holed.replace(page * kPage, kPage, kPage, '\xa5');
    auto found = read(*open(holed), Order::file);
    EXPECT_GE(found.size() + 100, std::size_t{kRows}) << page;
  }
}

TEST_F(ForeignTables, ADamagedCreateStatementCostsNothing) {
  make({kTopicsTable, kMessagesTable, kFill, kIndex});
  std::string bytes = whole();
  std::size_t at = bytes.find("timestamp INTEGER");
  ASSERT_NE(at, std::string::npos);
  bytes[at] = 'T' ^ '\x01';
  auto bag = open(bytes);
  EXPECT_EQ(read(*bag, Order::time).size(), std::size_t{kRows});
  ASSERT_EQ(problems_.size(), 1U);
  EXPECT_THAT(problems_[0].what(), HasSubstr("the columns of messages"));
  EXPECT_FALSE(problems_[0].loss());
}

TEST_F(ForeignTables, TablesWithoutRowIdsAreRefused) {
  make({kTopicsTable,
        "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, "
        "data BLOB) WITHOUT ROWID;"});
  Error error = test::thrown_by([&] { open(whole()); });
  EXPECT_EQ(error.code(), ErrorCode::unsupported);
  EXPECT_THAT(error.what(), HasSubstr("WITHOUT ROWID"));
}

TEST_F(ForeignTables, TextsMayBeUtf16) {
  for (const char* encoding : {"PRAGMA encoding='UTF-16le'", "PRAGMA encoding='UTF-16be'"}) {
    make({encoding, kTopicsTable, kMessagesTable, kFill, kIndex});
    expect_whole();
    std::string lost = whole();
    lost.replace(100, 4096 - 100, 4096 - 100, '\0');  // the list of tables
    auto channels = open(lost)->summary().channels;
    ASSERT_EQ(channels->size(), 1U) << encoding;
    EXPECT_EQ((*channels)[0]->topic, "/a");
    expect_appended();
  }
}

TEST_F(ForeignTables, BagsOfRosbag2WithoutDefinitionsAreAppendedTo) {
  make({kTopicsTable, kMessagesTable, kFill, kIndex});
  expect_appended();
}

TEST_F(ForeignTables, BagsWithoutEncodingsAreAppendedTo) {
  make(
      {"CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL);"
       "INSERT INTO topics VALUES (1, '/a', 'std_msgs/msg/String');",
       kMessagesTable, kFill});
  expect_appended();
  auto channels = std::make_shared<Channels>(*two_channels());
  auto other = std::make_shared<Channel>(*(*channels)[1]);
  other->topic = "/c";
  other->encoding = "json";
  (*channels)[1] = other;
  auto writer = sqlite3_format().append(path_, {}, Session(Registry()));
  Batch batch;
  batch.channels = channels;
  Error error = test::thrown_by([&] { writer->write(std::move(batch)); });
  EXPECT_EQ(error.code(), ErrorCode::invalid);
  EXPECT_THAT(error.what(), HasSubstr("convert the bag to a new one first"));
}

}  // namespace
}  // namespace kitbag::sqlite3
