// When what a writer was given reaches the file, and in which chunks: every format that is written.

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "kitbag/kitbag.h"
#include "tests/support/bags.h"

namespace kitbag::testing {
namespace {

using std::chrono::milliseconds;

constexpr SteadyTime kBegin = SteadyTime() + std::chrono::hours(1);

std::vector<TestMessage> spread_messages(int count) {
  std::vector<TestMessage> messages;
  for (int i = 0; i < count; ++i) {
    auto channel = static_cast<std::uint32_t>(i < 3 ? i : i % 10 == 0 ? 0 : 1 + i % 2);
    messages.push_back(
        {channel, 1'000'000 + i * 10,
         std::string(static_cast<std::size_t>(channel == 0 ? 500 : 10), 'x') + std::to_string(i)});
  }
  return messages;
}

std::vector<TestMessage> of_channel(const std::vector<TestMessage>& all, std::uint32_t channel) {
  std::vector<TestMessage> found;
  std::copy_if(all.begin(), all.end(), std::back_inserter(found),
               [&](const TestMessage& each) { return each.channel == channel; });
  return found;
}

class PaceSuite : public ::testing::TestWithParam<FormatCase> {
 protected:
  std::string path() const { return folder_ / ("bag" + std::string(GetParam().format.extension)); }

  std::unique_ptr<Writer> begin(WriteOptions options) const {
    options.is_visible = true;
    options.io = Io::buffered;
    options.format = GetParam().format.name;
    return session_.create(path(), options);
  }

  /// What somebody else finds in the file now. Nothing: it is no bag yet.
  std::optional<std::vector<TestMessage>> found(OnProblem on_problem = [](const Error&) {}) const {
    ReadOptions options;
    options.on_problem = std::move(on_problem);
    try {
      return read_messages(*session_.open(path(), options));
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  TempFolder folder_;
  Session session_;
  ChannelsPtr channels_ = GetParam().channels();
};

TEST_P(PaceSuite, WhatIsHeldBackIsInTheFileInTime) {
  WriteOptions options = GetParam().options(1 << 20, 1);
  options.chunk_duration = milliseconds(100);
  auto writer = begin(options);
  auto messages = spread_messages(20);
  EXPECT_EQ(writer->due(), kNever);
  write_messages(*writer, channels_, messages);
  ASSERT_LE(writer->due(), kBegin) << "the first tick begins to count";
  writer->tick(kBegin);
  EXPECT_EQ(writer->due(), kBegin + milliseconds(100));
  writer->tick(kBegin + milliseconds(99));
  EXPECT_NE(found(), messages) << "what is not due is held back";
  writer->tick(kBegin + milliseconds(100));
  EXPECT_EQ(found(), messages);
  EXPECT_EQ(writer->due(), kNever);
  writer->close();
  EXPECT_EQ(found(), messages);
}

/// This is what a killed writer leaves, and what a reader finds during a recording.
TEST_P(PaceSuite, AtEachMomentTheFileHasWhatWasFlushed) {
  auto writer = begin(GetParam().options(1 << 20, 1));
  std::vector<TestMessage> written;
  std::size_t flushed = 0;
  for (int round = 0; round < 30; ++round) {
    std::vector<TestMessage> more = spread_messages(40);
    for (TestMessage& message : more) {
      message.time_ns += round * 1'000;
      message.payload.resize(message.time_ns % 3 == 0 ? 30'000 : 100, 'x');
    }
    write_messages(*writer, channels_, more);
    written.insert(written.end(), more.begin(), more.end());
    if (round % 10 == 9) {
      writer->flush();
      flushed = written.size();
    }
    if (flushed == 0) continue;
    std::vector<Error> losses;
    auto all = found([&](const Error& problem) {
      if (problem.loss()) losses.push_back(problem);
    });
    ASSERT_TRUE(all.has_value()) << round;
    ASSERT_TRUE(losses.empty()) << round << ": " << losses.front().what();
    ASSERT_GE(all->size(), flushed) << round;
    ASSERT_LE(all->size(), written.size()) << round;
    ASSERT_TRUE(std::equal(all->begin(), all->end(), written.begin())) << round;
  }
}

TEST_P(PaceSuite, SyncsLeaveTheBagAsItIs) {
  auto messages = spread_messages(200);
  for (SyncPolicy sync : {SyncPolicy{SyncPolicy::When::chunk, {}},
                          SyncPolicy{SyncPolicy::When::interval, milliseconds(10)}}) {
    WriteOptions options = GetParam().options(1'000, 1);
    options.sync = sync;
    auto writer = begin(options);
    for (std::size_t i = 0; i < messages.size(); i += 20) {
      auto at = messages.begin() + static_cast<std::ptrdiff_t>(i);
      write_messages(*writer, channels_, {at, at + 20});
      SteadyTime now = kBegin + milliseconds(i);
      if (writer->due() <= now) writer->tick(now);
    }
    if (sync.when == SyncPolicy::When::interval) {
      EXPECT_TRUE(found().has_value());
    }
    writer->close();
    EXPECT_EQ(found(), messages);
    std::filesystem::remove(path());
  }
}

TEST_P(PaceSuite, AChunkSpansNoMoreThanAsked) {
  WriteOptions options = GetParam().options(1 << 20, 1);
  options.chunk_duration = std::chrono::nanoseconds(300);
  auto writer = begin(options);
  auto messages = spread_messages(200);
  write_messages(*writer, channels_, messages);
  writer->close();
  auto bag = session_.open(path());
  EXPECT_EQ(read_messages(*bag), messages);
  for (const ChunkSummary& chunk : bag->chunks()) {
    EXPECT_LE(chunk.end - chunk.start, options.chunk_duration);
    EXPECT_LE(chunk.messages, 31U);
  }
}

TEST_P(PaceSuite, ATopicHasChunksOfItsOwn) {
  WriteOptions options = GetParam().options(1'000, 2);
  options.topic_chunks = {{"/nothing", 1}, {"/a*", 4'000}};
  auto writer = begin(options);
  auto messages = spread_messages(400);
  write_messages(*writer, channels_, messages);
  writer->close();
  ReadOptions reading;
  auto bag = session_.open(path(), reading);
  EXPECT_EQ(read_messages(*bag), messages) << "by time";
  Query query;
  query.order = Order::file;
  for (std::uint32_t channel = 0; channel < 3; ++channel) {
    EXPECT_EQ(of_channel(read_messages(*bag, query), channel), of_channel(messages, channel));
  }
  std::uint64_t large = 0;
  for (const ChunkSummary& chunk : bag->chunks()) {
    if (chunk.bytes >= 4'000) large += chunk.messages;
    EXPECT_TRUE(chunk.bytes < 1'600 || chunk.messages <= 8) << "of both";
  }
  if (!bag->chunks().empty()) {
    EXPECT_GT(large, 30U);
  }
}

TEST_P(PaceSuite, ChunksOfTopicsAreReadWithoutAnIndex) {
  WriteOptions options = GetParam().options(1'000, 2);
  options.topic_chunks = {{"/a", 4'000}};
  auto writer = begin(options);
  auto messages = spread_messages(400);
  write_messages(*writer, channels_, messages);
  writer->flush();
  writer.reset();  // as a program that dies
  auto saved = found();
  ASSERT_TRUE(saved && saved->size() == messages.size());
  for (std::size_t i = 0; i < messages.size(); ++i) {  // channels are numbered as they come
    EXPECT_EQ(saved->at(i).payload, messages[i].payload);
    EXPECT_EQ(saved->at(i).time_ns, messages[i].time_ns);
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, PaceSuite, ::testing::ValuesIn(writable_formats()), case_name);

}  // namespace
}  // namespace kitbag::testing
