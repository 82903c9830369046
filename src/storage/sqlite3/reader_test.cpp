#include "storage/sqlite3/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>

#include "kitbag/damage.h"
#include "kitbag/error.h"
#include "kitbag/session.h"
#include "storage/sqlite3/database.h"
#include "storage/sqlite3/format.h"
#include "storage/sqlite3/test_channels.h"
#include "storage/sqlite3/verify.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag::sqlite3 {
namespace {

using test::thrown_by;
using ::testing::HasSubstr;

struct Given {
  std::uint32_t channel = 0;
  std::int64_t log_ns = 0;
  std::int64_t publish_ns = 0;
  std::uint32_t sequence = 0;
  std::string payload;

  bool operator==(const Given&) const = default;
};

std::vector<Given> read_all(const Bag& bag, const Query& query = {}) {
  std::vector<Given> all;
  auto source = bag.read(query);
  for (Batch batch; source->read(batch, {}); batch.clear()) {
    for (const Message& m : std::as_const(batch).messages()) {
      all.push_back({m.channel->slot, to_ns(m.log_time), to_ns(m.publish_time), m.sequence,
                     std::string(as_text(m.data))});
    }
  }
  return all;
}

/// A file that counts what is read of it.
class CountedFile final : public ReadFile {
 public:
  explicit CountedFile(std::shared_ptr<const ReadFile> file) : file_(std::move(file)) {}
  std::uint64_t size() const override { return file_->size(); }
  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const override {
    bytes_ += into.size();
    return file_->read(offset, into);
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<const ReadFile> file_;
  mutable std::atomic<std::uint64_t> bytes_ = 0;
};

class Sqlite3 : public ::testing::Test {
 protected:
  std::string write(const std::vector<Given>& messages, const WriteOptions& options = {}) {
    std::string path = folder_.path("bag.db3");
    auto writer = sqlite3_format().create(path, options, Session(Registry()));
    auto channels = two_channels();
    Batch batch;
    batch.channels = channels;
    for (const Given& m : messages) {
      batch.add({(*channels)[m.channel].get(), m.sequence, 0, from_ns(m.log_ns),
                 from_ns(m.publish_ns), as_bytes(m.payload)});
      if (!batch.full()) continue;
      writer->write(std::move(batch));
      batch = Batch();
      batch.channels = channels;
    }
    writer->write(std::move(batch));
    writer->close();
    return path;
  }
  static std::vector<Given> numbered(std::uint32_t count, std::size_t bytes) {
    std::vector<Given> messages;
    for (std::uint32_t i = 0; i < count; ++i) {
      std::int64_t time = 1'000'000 + std::int64_t{i} * 10;
      messages.push_back({i % 2, time, time, 0, std::to_string(i) + std::string(bytes, 'x')});
    }
    return messages;
  }
  BagPtr open(const std::string& path) { return open(open_file(path), path); }
  BagPtr open(std::shared_ptr<const ReadFile> file, const std::string& path) {
    problems_.clear();
    ReadOptions options{.on_problem = [this](const Error& e) { problems_.push_back(e); }};
    return open_bag({path, {}, std::move(file), local_file_system()}, options);
  }

  TemporaryFolder folder_;
  std::vector<Error> problems_;
};

TEST_F(Sqlite3, KeepsPublishTimesAndSequencesThatRosbag2Loses) {
  std::vector<Given> messages;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    std::int64_t log = 1'000'000 + std::int64_t{i} * 10;
    // Runs of nothing to say between those that say something.
    bool is_plain = i / 5'000 % 2 == 1;
    messages.push_back({i % 2, log, is_plain ? log : log - 7 * std::int64_t{i % 3},
                        is_plain ? 0 : i, std::to_string(i)});
  }
  auto bag = open(write(messages));
  EXPECT_EQ(read_all(*bag), messages);
  Query query;
  query.by = TimeField::publish_time;
  auto by_publish_time = read_all(*bag, query);
  std::stable_sort(messages.begin(), messages.end(),
                   [](const Given& a, const Given& b) { return a.publish_ns < b.publish_ns; });
  EXPECT_EQ(by_publish_time, messages);
  EXPECT_TRUE(problems_.empty());
}

TEST_F(Sqlite3, MessagesOfAnySizeComeWhole) {
  std::vector<Given> messages;
  std::int64_t time = 0;
  for (std::size_t size : {0U, 1U, 4'000U, 4'050U, 4'061U, 4'062U, 4'100U, 8'200U, 70'000U,
                           300'000U, 1'100'000U, 5'000'000U}) {
    std::string payload(size, '\0');
    for (std::size_t i = 0; i < size; ++i) payload[i] = static_cast<char>(i * 31 % 251);
    ++time;
    messages.push_back({0, time, time, 0, payload});
  }
  EXPECT_EQ(read_all(*open(write(messages))), messages);
}

TEST_F(Sqlite3, OpeningReadsAHandfulOfPages) {
  std::string path = write(numbered(100'000, 100));
  auto file = std::make_shared<CountedFile>(open_file(path));
  auto bag = open(file, path);
  EXPECT_EQ(bag->summary().messages, 100'000U);
  EXPECT_EQ(bag->summary().message_counts, (std::vector<std::uint64_t>{50'000, 50'000}));
  EXPECT_LT(file->bytes(), 64U * 4'096U);
  Query query;
  query.begin = from_ns(1'000'000 + 500'000);
  query.count = 3;
  EXPECT_EQ(read_all(*bag, query).size(), 3U);
  EXPECT_LT(file->bytes(), 200U * 4'096U);
}

TEST_F(Sqlite3, WhatNobodyHasCountedIsCountedWhenAsked) {
  std::string path = write(numbered(1'000, 10));
  Database database(path, path);
  database.run("DELETE FROM metadata;");
  database.close();
  auto bag = open(path);
  EXPECT_EQ(bag->summary().messages, 1'000U);
  EXPECT_EQ(to_ns(bag->summary().end), 1'000'000 + 999 * 10);
}

TEST_F(Sqlite3, TheOutlineIsKnownWithoutCounting) {
  std::string path = write(numbered(100'000, 100));
  Database database(path, path);
  database.run("DELETE FROM metadata;");
  database.close();
  auto file = std::make_shared<CountedFile>(open_file(path));
  auto bag = open(file, path);
  const Summary& outline = bag->outline();
  EXPECT_EQ(outline.messages, 100'000U);
  EXPECT_EQ(to_ns(outline.start), 1'000'000);
  EXPECT_EQ(to_ns(outline.end), 1'000'000 + 99'999 * 10);
  EXPECT_TRUE(outline.message_counts.empty());
  EXPECT_EQ(outline.channels->size(), 2U);
  EXPECT_LT(file->bytes(), 64U * 4'096U);
}

TEST_F(Sqlite3, NumbersThatAreNotTrueAreNotBelieved) {
  std::string path = write(numbered(1'000, 10));
  Database database(path, path);
  database.run("INSERT INTO messages(topic_id, timestamp, data) VALUES (1, 5, x'00');");
  database.close();
  EXPECT_EQ(open(path)->summary().messages, 1'001U);
  std::vector<std::string> findings;
  check_bag({path, {}, open_file(path)},
            {.on_problem = [&](const Error& e) { findings.emplace_back(e.what()); }});
  EXPECT_THAT(findings, ::testing::Contains(HasSubstr("gives 1000 messages, but there are 1001")));
}

TEST_F(Sqlite3, WithoutAnIndexMessagesAreSorted) {
  auto messages = numbered(1'000, 10);
  std::swap(messages[10], messages[500]);
  std::string path = write(messages);
  Database database(path, path);
  database.run("DROP INDEX timestamp_idx;");
  database.close();
  auto bag = open(path);
  EXPECT_FALSE(bag->summary().indexed);
  std::stable_sort(messages.begin(), messages.end(),
                   [](const Given& a, const Given& b) { return a.log_ns < b.log_ns; });
  EXPECT_EQ(read_all(*bag), messages);
  Query query;
  query.order = Order::reverse_time;
  std::reverse(messages.begin(), messages.end());
  EXPECT_EQ(read_all(*bag, query), messages);
}

/// Every page of the file gone, one at a time: what is in the others comes, in order.
TEST_F(Sqlite3, APageGoneTakesOnlyItsOwnMessages) {
  auto messages = numbered(3'000, 100);
  std::string path = write(messages);
  std::ifstream stream(path, std::ios::binary);
  std::string whole((std::istreambuf_iterator<char>(stream)), {});
  constexpr std::size_t kPage = 4'096;
  constexpr std::size_t kMostOfPage = 40;  // messages
  for (std::size_t page = 1; page < whole.size() / kPage; ++page) {
    std::string holed = whole;
    holed.replace(page * kPage, kPage, kPage, '\xa5');
    for (Order order : {Order::file, Order::time, Order::reverse_time}) {
      SCOPED_TRACE(::testing::Message() << page << " " << static_cast<int>(order));
      auto bag = open(memory_file(as_bytes(holed)), "memory");
      if (bag->summary().channels->empty()) continue;  // the page of the topics
      Query query;
      query.order = order;
      auto found = read_all(*bag, query);
      if (order == Order::reverse_time) std::reverse(found.begin(), found.end());
      ASSERT_GE(found.size() + kMostOfPage, messages.size());
      ASSERT_TRUE(
          std::includes(messages.begin(), messages.end(), found.begin(), found.end(),
                        [](const Given& a, const Given& b) { return a.log_ns < b.log_ns; }));
      if (found.size() == messages.size()) continue;
      Damage met;  // by the summary, and again by the source
      for (const Error& problem : problems_) met.add(problem);
      ASSERT_EQ(met.lost_messages(), messages.size() - found.size());
    }
  }
}

/// A byte before the payload of each message of a few leaves, the last ones of a leaf among them:
/// its record, its id or its size is damaged, and no other leaf is lost.
TEST_F(Sqlite3, ADamagedRowTakesOnlyWhatIsInItsLeaf) {
  constexpr std::size_t kMostOfPage = 40;  // messages
  auto messages = numbered(300, 100);
  std::string path = write(messages);
  std::ifstream stream(path, std::ios::binary);
  std::string whole((std::istreambuf_iterator<char>(stream)), {});
  for (std::size_t i = 100; i < 100 + 2 * kMostOfPage; ++i) {
    std::size_t payload = whole.find(messages[i].payload);
    ASSERT_NE(payload, std::string::npos);
    for (std::size_t before = 1; before < 18; ++before) {
      std::string damaged = whole;
      damaged[payload - before] = '\xff';
      auto found = read_all(*open(memory_file(as_bytes(damaged)), "memory"));
      ASSERT_GE(found.size() + kMostOfPage, messages.size()) << i << " " << before;
    }
  }
}

TEST_F(Sqlite3, MetadataRecordsAreFoundWithoutTheListOfTables) {
  std::string path = folder_.path("bag.db3");
  auto writer = sqlite3_format().create(path, {}, Session(Registry()));
  Batch batch;
  batch.channels = two_channels();
  batch.extras.emplace_back(Metadata{"site", {{"town", "Bern"}, {"", ""}}});
  batch.extras.emplace_back(Metadata{"empty", {}});
  writer->write(std::move(batch));
  writer->close();
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  constexpr int kCells = 100;  // the bytes before them describe the file
  file.seekp(kCells).write(std::string(4096 - kCells, '\0').data(), 4096 - kCells);
  file.close();
  auto extras =
      open_bag({path, {}, open_file(path)}, {.on_problem = [](const Error&) {}})->extras();
  ASSERT_EQ(extras.size(), 2U);
  using Values = std::map<std::string, std::string>;
  EXPECT_EQ(std::get<Metadata>(extras[0]).values, (Values{{"town", "Bern"}, {"", ""}}));
  EXPECT_EQ(std::get<Metadata>(extras[1]).name, "empty");
}

TEST_F(Sqlite3, AResilientBagThatWasNotClosedIsReadFromItsLog) {
  std::string path = folder_.path("live.db3");
  WriteOptions options;
  options.preset = "resilient";
  options.is_visible = true;
  auto writer = sqlite3_format().create(path, options, Session(Registry()));
  auto channels = two_channels();
  Batch batch;
  batch.channels = channels;
  batch.add({(*channels)[0].get(), 0, 0, from_ns(5), from_ns(5), as_bytes("hello")});
  writer->write(std::move(batch));
  writer->flush();
  // While the writer is there, as after it has been killed.
  auto found = read_all(*open(path));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].payload, "hello");
  writer->close();
  EXPECT_EQ(read_all(*open(path)).size(), 1U);
}

TEST_F(Sqlite3, AVisibleBagReplacesNothing) {
  std::string path = folder_.write("bag.db3", "something");
  WriteOptions options;
  options.is_visible = true;
  EXPECT_EQ(thrown_by([&] { sqlite3_format().create(path, options, Session(Registry())); }).code(),
            ErrorCode::exists);
  EXPECT_EQ(folder_.read("bag.db3"), "something");
}

TEST_F(Sqlite3, OtherDatabasesAreNoBags) {
  std::string path = folder_.write("other.db3", "");
  Database database(path, path);
  database.run("CREATE TABLE birds(id INTEGER PRIMARY KEY, name TEXT);");
  database.close();
  Error error = thrown_by([&] { open(path); });
  EXPECT_EQ(error.code(), ErrorCode::unsupported);
  EXPECT_THAT(error.what(), HasSubstr("not a bag"));
}

TEST_F(Sqlite3, AppendingGoesOnWithWhatIsThere) {
  auto messages = numbered(100, 10);
  std::string path = write(messages);
  auto writer = sqlite3_format().append(path, {}, Session(Registry()));
  auto channels = two_channels();
  Batch batch;
  batch.channels = channels;
  batch.add({(*channels)[1].get(), 9, 0, from_ns(9'000'000), from_ns(8'000'000), as_bytes("new")});
  writer->write(std::move(batch));
  writer->close();
  messages.push_back({1, 9'000'000, 8'000'000, 9, "new"});
  auto bag = open(path);
  EXPECT_EQ(bag->summary().messages, 101U);
  EXPECT_EQ(bag->summary().channels->size(), 2U);
  EXPECT_EQ(read_all(*bag), messages);
}

TEST_F(Sqlite3, ATopicHasOneEncoding) {
  auto channels = std::make_shared<Channels>(*two_channels());
  auto other = std::make_shared<Channel>(*(*channels)[1]);
  other->topic = "/a";
  other->encoding = "json";
  (*channels)[1] = other;
  auto writer = sqlite3_format().create(folder_.path("bag.db3"), {}, Session(Registry()));
  Batch batch;
  batch.channels = channels;
  EXPECT_THAT(thrown_by([&] { writer->write(std::move(batch)); }).what(), HasSubstr("/a"));
}

}  // namespace
}  // namespace kitbag::sqlite3
