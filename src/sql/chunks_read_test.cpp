#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kitbag/chunk_figures.h"
#include "kitbag/error.h"
#include "kitbag/message.h"
#include "kitbag/pipeline.h"
#include "kitbag/session.h"
#include "sql/database.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

// What a query reads, by the chunks that are decompressed for it.

namespace kitbag::sql {
namespace {

constexpr Duration kSecond = std::chrono::seconds(1);

class ChunksReadTest : public ::testing::Test {
 protected:
  /// The simulated robot in small chunks of zstd. Those of /battery hold nothing else.
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    Session session;
    auto source = session.open("demo://?seconds=20&seed=7")->read({});
    auto writer = session.create(
        path(),
        {.compression = "zstd", .chunk_bytes = 64 << 10, .topic_chunks = {{"/battery", 1 << 20}}});
    run(*source, *writer, *session.clock());
    writer->close();
  }
  static void TearDownTestSuite() { folder_.reset(); }
  static std::string path() { return folder_->path("drive.mcap"); }

  struct Read {
    std::uint64_t chunks;
    std::size_t rows;
  };

  /// In a session of its own, where no chunk is kept yet.
  static Read read(const std::string& query) {
    auto set = std::make_shared<BagSet>();
    ReadOptions options;
    options.threads = 1;  // without those that are loaded ahead
    set->bags.push_back({"drive.mcap", set->session.open(path(), options)});
    Database database(set);
    auto answer = database.query(query);
    std::size_t rows = 0;
    while (answer->next()) ++rows;
    return {chunk_figures(set->session).loads, rows};
  }

  static std::uint64_t overlapping(Time begin, Time end) {
    std::uint64_t count = 0;
    for (const ChunkSummary& chunk : Session().open(path())->chunks()) {
      count += chunk.start < end && chunk.end >= begin ? 1U : 0U;
    }
    return count;
  }

  static std::unique_ptr<TemporaryFolder> folder_;
};

std::unique_ptr<TemporaryFolder> ChunksReadTest::folder_;

TEST_F(ChunksReadTest, OnePercentOfTheTime) {
  auto bag = Session().open(path());
  Time begin = bag->summary().start + 7 * kSecond;
  Time end = begin + kSecond / 5;
  std::uint64_t allowed = overlapping(begin, end);
  ASSERT_LT(allowed, bag->summary().chunks / 20);
  for (const char* table : {"imu", "messages"}) {
    Read narrow = read(fmt::format("SELECT * FROM {} WHERE time >= {} AND time < {}", table,
                                   to_ns(begin), to_ns(end)));
    EXPECT_GE(narrow.rows, 20) << table;
    EXPECT_GT(narrow.chunks, 0) << table;
    EXPECT_LE(narrow.chunks, allowed) << table;
  }
}

TEST_F(ChunksReadTest, OneTopic) {
  std::uint64_t own = read("SELECT voltage FROM battery").chunks;
  EXPECT_EQ(own, 1);
  EXPECT_EQ(read("SELECT json FROM messages WHERE topic = '/battery'").chunks, own);
  EXPECT_EQ(read("SELECT size_bytes FROM messages WHERE topic IN ('/battery', '/none')").chunks,
            own);
  EXPECT_GT(read("SELECT size_bytes FROM messages").chunks, 100);
}

TEST_F(ChunksReadTest, Limit) {
  Read all = read("SELECT time FROM imu");
  for (const char* table : {"imu", "messages"}) {
    Read few = read(fmt::format("SELECT * FROM {} LIMIT 10", table));
    EXPECT_EQ(few.rows, 10) << table;
    // A first batch of an IMU of 100 Hz is a bit more than a second of the twenty.
    EXPECT_LE(few.chunks, all.chunks / 10) << table;
  }
  EXPECT_LE(read("SELECT * FROM imu ORDER BY time DESC LIMIT 10").chunks, all.chunks / 10);
}

TEST_F(ChunksReadTest, WhatTheBagSaysOfItself) {
  EXPECT_EQ(read("SELECT * FROM topics").chunks, 0);
  EXPECT_EQ(read("SELECT * FROM bags").chunks, 0);
}

TEST_F(ChunksReadTest, OnlyBagsThatMayMatch) {
  EXPECT_EQ(read("SELECT * FROM imu WHERE bag = 'other.mcap'").chunks, 0);
  EXPECT_EQ(read("SELECT * FROM imu WHERE bag IN ('drive.mcap', 'other.mcap') LIMIT 3").rows, 3);
}

TEST_F(ChunksReadTest, OnlyFieldsOfTheQueryAreDecoded) {
  const std::string damaged = folder_->path("damaged.mcap");
  Session session;
  auto writer = session.create(damaged, {});
  auto schema = std::make_shared<Schema>(Schema{"test_msgs/Two", "ros1msg", "int32 a\nstring b\n"});
  auto channel = std::make_shared<Channel>(Channel{"/two", "ros1", schema});
  const std::vector<std::byte> payload(4);  // `b` is cut off
  Batch batch;
  batch.channels = std::make_shared<Channels>(Channels{channel});
  for (std::int64_t i = 1; i <= 5; ++i) {
    batch.add({channel.get(), 0, 0, from_ns(i), from_ns(i), payload});
  }
  writer->write(std::move(batch));
  writer->close();
  auto set = std::make_shared<BagSet>();
  set->bags.push_back({damaged, set->session.open(damaged)});
  Database database(set);
  auto value = [&](const std::string& query) {
    auto answer = database.query(query);
    EXPECT_TRUE(answer->next());
    return std::get<std::int64_t>(answer->value(0));
  };
  EXPECT_EQ(value("SELECT count(*) FROM two"), 5);
  EXPECT_EQ(value("SELECT max(time) FROM two"), 5);
  EXPECT_EQ(value("SELECT count(*) FROM messages"), 5);
  EXPECT_EQ(value("SELECT sum(size_bytes) FROM messages"), 20);
  EXPECT_ERROR(truncated, value("SELECT max(b) FROM two"));
}

}  // namespace
}  // namespace kitbag::sql
