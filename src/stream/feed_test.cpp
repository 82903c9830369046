#include "kitbag/feed.h"

#include <gmock/gmock.h>

#include <memory>
#include <thread>

#include "tests/support/manual_clock.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::thrown_by;
using testing::ElementsAre;
using namespace std::chrono_literals;

constexpr std::size_t kMuch = 64 << 20;

class FeedTest : public testing::Test {
 protected:
  ChannelPtr add(Feed& feed, const std::string& topic) const {
    Channel channel;
    channel.topic = topic;
    return feed.add(std::move(channel));
  }
  static Message message(const ChannelPtr& channel, ByteView data, std::int64_t time = 0) {
    return {channel.get(), 0, 0, from_ns(time), from_ns(time), data};
  }
  static bool push(Feed& feed, const ChannelPtr& channel, std::string text) {
    return feed.push(message(channel, as_bytes(text)));  // the text is gone when it returns
  }
  std::vector<std::string> read(Feed& feed) const {
    Batch batch;
    EXPECT_TRUE(feed.read(batch, at_once_));
    std::vector<std::string> texts;
    for (const Message& each : batch.messages()) texts.emplace_back(as_text(each.data));
    return texts;
  }

  const Wait at_once_{{}, SteadyTime::min()};
  const Wait forever_{};
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
};

TEST_F(FeedTest, CopiesWhatIsPushed) {
  Feed feed(kMuch, OnFull::block, clock_);
  auto a = add(feed, "/a");
  auto b = add(feed, "/b");
  EXPECT_EQ(b->slot, 1U);
  EXPECT_TRUE(push(feed, a, "one"));
  EXPECT_TRUE(push(feed, b, ""));
  EXPECT_TRUE(push(feed, a, std::string(5 << 20, 'x')));  // larger than a block
  EXPECT_THAT(read(feed), ElementsAre("one", "", std::string(5 << 20, 'x')));
}

TEST_F(FeedTest, KeepsALargeMessageWithItsOwner) {
  Feed feed(kMuch, OnFull::block, clock_);
  auto a = add(feed, "/a");
  auto large = std::make_shared<std::string>(kLendBytes, 'x');
  auto small = std::make_shared<std::string>(kLendBytes - 1, 'y');
  feed.push(message(a, as_bytes(*large)), large);
  feed.push(message(a, as_bytes(*small)), small);
  EXPECT_EQ(small.use_count(), 1);
  EXPECT_EQ(large.use_count(), 2);
  Batch batch;
  ASSERT_TRUE(feed.read(batch, at_once_));
  EXPECT_EQ(batch.messages()[0].data.data(), as_bytes(*large).data());
  batch.clear();
  EXPECT_EQ(large.use_count(), 1);
}

TEST_F(FeedTest, TakesManyChannelsAtOnce) {
  Feed feed(kMuch, OnFull::block, clock_);
  // With a copy of the table for each, this takes minutes.
  for (int i = 0; i < 60'000; ++i) add(feed, "/a");
  Batch batch;
  ASSERT_TRUE(feed.read(batch, forever_));
  EXPECT_EQ(batch.channels->size(), 60'000U);
  EXPECT_EQ(feed.channels(), batch.channels);
  EXPECT_EQ(batch.channels->back()->slot, 59'999U);
}

TEST_F(FeedTest, DeclaresChannelsWithoutMessages) {
  Feed feed(kMuch, OnFull::block, clock_);
  add(feed, "/a");
  Batch batch;
  ASSERT_TRUE(feed.read(batch, forever_));
  EXPECT_TRUE(batch.empty());
  ASSERT_EQ(batch.channels->size(), 1U);
  EXPECT_EQ(batch.channels->front()->topic, "/a");
}

TEST_F(FeedTest, AReaderThatComesSoonWaitsForMore) {
  Feed feed(kMuch, OnFull::block, clock_);
  auto a = add(feed, "/a");
  push(feed, a, "zero");
  EXPECT_EQ(read(feed).size(), 1U);
  std::vector<std::string> texts;
  std::thread reader([&] {
    Batch batch;
    feed.read(batch, forever_);
    for (const Message& each : batch.messages()) texts.emplace_back(as_text(each.data));
  });
  clock_->await_waiters(1);
  push(feed, a, "one");
  clock_->advance(Feed::kGather - 1ns);
  clock_->await_waiters(1);
  push(feed, a, "two");
  clock_->advance(1ns);
  reader.join();
  EXPECT_THAT(texts, ElementsAre("one", "two"));
}

TEST_F(FeedTest, AReaderThatFoundNothingIsWokenByTheNextMessage) {
  Feed feed(kMuch, OnFull::block, clock_);
  auto a = add(feed, "/a");
  read(feed);
  clock_->advance(Feed::kGather);
  std::thread reader([&] {
    Batch batch;
    feed.read(batch, forever_);
    EXPECT_EQ(batch.messages().size(), 1U);
  });
  clock_->await_waiters(1);
  push(feed, a, "one");
  reader.join();
}

TEST_F(FeedTest, AFullBatchWaitsForNobody) {
  Feed feed(kMuch, OnFull::block, clock_);
  auto a = add(feed, "/a");
  for (std::size_t i = 0; i < kBatchMessages + 1; ++i) push(feed, a, "x");
  Batch batch;
  ASSERT_TRUE(feed.read(batch, forever_));
  EXPECT_EQ(batch.messages().size(), kBatchMessages);
  EXPECT_EQ(read(feed).size(), 1U);
}

TEST_F(FeedTest, GivesWhatIsInsideThenTheEnd) {
  Feed feed(kMuch, OnFull::block, clock_);
  auto a = add(feed, "/a");
  push(feed, a, "one");
  feed.close();
  Batch batch;
  ASSERT_TRUE(feed.read(batch, forever_));
  EXPECT_EQ(batch.messages().size(), 1U);
  EXPECT_FALSE(feed.read(batch = Batch(), forever_));
  EXPECT_EQ(thrown_by([&] { push(feed, a, "two"); }).code(), ErrorCode::invalid);
}

TEST_F(FeedTest, AnErrorComesAfterWhatIsInside) {
  Feed feed(kMuch, OnFull::block, clock_);
  auto a = add(feed, "/a");
  push(feed, a, "one");
  feed.fail(std::make_exception_ptr(Error(ErrorCode::io, "the link is down")));
  EXPECT_THAT(read(feed), ElementsAre("one"));
  Batch batch;
  EXPECT_STREQ(thrown_by([&] { feed.read(batch, forever_); }).what(), "the link is down");
}

TEST_F(FeedTest, DropsTheNewest) {
  Feed feed(2 * (100 + sizeof(Message)), OnFull::drop_newest, clock_);
  auto a = add(feed, "/a");
  auto b = add(feed, "/b");
  EXPECT_TRUE(push(feed, a, std::string(100, '1')));
  EXPECT_TRUE(push(feed, b, std::string(100, '2')));
  EXPECT_FALSE(push(feed, b, std::string(100, '3')));
  EXPECT_FALSE(push(feed, b, "4"));
  EXPECT_THAT(feed.dropped(), ElementsAre(0, 2));
  EXPECT_THAT(read(feed), ElementsAre(std::string(100, '1'), std::string(100, '2')));
  EXPECT_TRUE(push(feed, b, "5"));
}

TEST_F(FeedTest, CountsWhatWasLostOnTheWay) {
  Feed feed(kMuch, OnFull::block, clock_);
  add(feed, "/a");
  auto b = add(feed, "/b");
  feed.count_lost(*b, 3);
  feed.count_lost(*b, 4);
  EXPECT_THAT(feed.lost(), ElementsAre(0, 7));
  EXPECT_THAT(feed.dropped(), ElementsAre(0, 0));
}

TEST_F(FeedTest, DropsTheOldest) {
  Feed feed(2 * (100 + sizeof(Message)), OnFull::drop_oldest, clock_);
  auto a = add(feed, "/a");
  auto b = add(feed, "/b");
  for (char name : {'1', '2', '3', '4'}) {
    EXPECT_TRUE(push(feed, name < '3' ? a : b, std::string(100, name)));
  }
  EXPECT_THAT(feed.dropped(), ElementsAre(2, 0));
  EXPECT_THAT(read(feed), ElementsAre(std::string(100, '3'), std::string(100, '4')));
}

/// What is left of a batch is copied together when most of it is dropped; what comes behind it must
/// still be kept alive.
TEST_F(FeedTest, WhatIsPushedBehindWhatWasDroppedStays) {
  Feed feed(40 * (60'000 + sizeof(Message)), OnFull::drop_oldest, clock_);
  auto a = add(feed, "/a");
  for (int i = 0; i < 500; ++i) {
    push(feed, a, std::string(60'000, static_cast<char>('a' + i % 26)));
    push(feed, a, std::to_string(i));
  }
  std::vector<std::string> all;
  Batch batch;
  while (feed.read(batch, at_once_) && !batch.empty()) {
    for (const Message& each : batch.messages()) all.emplace_back(as_text(each.data));
    batch.clear();
  }
  ASSERT_GT(all.size(), 70U);
  EXPECT_EQ(all.back(), "499");
  for (std::size_t i = all.size() % 2; i < all.size(); i += 2) {
    auto number = static_cast<int>(500 - (all.size() - i) / 2);
    ASSERT_EQ(all[i], std::string(60'000, static_cast<char>('a' + number % 26)));
    ASSERT_EQ(all[i + 1], std::to_string(number));
  }
}

TEST_F(FeedTest, AProducerWaitsForRoomOrForTheReaderToGo) {
  Feed feed(100 + sizeof(Message), OnFull::block, clock_);
  auto a = add(feed, "/a");
  push(feed, a, std::string(100, '1'));
  std::thread second([&] { push(feed, a, std::string(100, '2')); });
  clock_->await_waiters(1);
  EXPECT_THAT(read(feed), ElementsAre(std::string(100, '1')));
  second.join();
  std::thread third(
      [&] { EXPECT_EQ(thrown_by([&] { push(feed, a, "3"); }).code(), ErrorCode::cancelled); });
  clock_->await_waiters(1);
  feed.abandon();
  third.join();
}

/// The promise to recorders: 64 MB outlast a disk that stops for 300 ms at 200 MB/s.
TEST_F(FeedTest, ADiskThatStopsFor300MsAt200MBsLosesNothingIn64MB) {
  Feed feed(kMuch, OnFull::drop_newest, clock_);
  auto a = add(feed, "/camera");
  std::string image(100'000, 'i');
  for (int i = 0; i < 600; ++i) ASSERT_TRUE(feed.push(message(a, as_bytes(image), i)));
  std::int64_t expected = 0;
  Batch batch;
  while (feed.read(batch, at_once_) && !batch.empty()) {
    for (const Message& each : batch.messages()) ASSERT_EQ(to_ns(each.log_time), expected++);
    batch.clear();
  }
  EXPECT_EQ(expected, 600);
  EXPECT_THAT(feed.dropped(), ElementsAre(0));
}

TEST_F(FeedTest, ManyThreadsLoseNothingAndKeepTheirOrder) {
  constexpr int kThreads = 4;
  constexpr int kMessages = 20'000;
  auto clock = system_clock();
  Feed feed(1 << 20, OnFull::block, clock);
  std::vector<std::thread> producers;
  for (int thread = 0; thread < kThreads; ++thread) {
    auto channel = add(feed, "/" + std::to_string(thread));
    producers.emplace_back([&feed, channel] {
      for (int i = 0; i < kMessages; ++i) push(feed, channel, std::to_string(i));
    });
  }
  std::vector<int> next(kThreads);
  Batch batch;
  for (int total = 0; total < kThreads * kMessages;) {
    ASSERT_TRUE(feed.read(batch, {}));
    for (const Message& each : batch.messages()) {
      ASSERT_EQ(as_text(each.data), std::to_string(next[each.channel->slot]++));
      ++total;
    }
    batch.clear();
  }
  for (std::thread& producer : producers) producer.join();
}

}  // namespace
}  // namespace kitbag
