#include <gmock/gmock.h>

#include <memory>
#include <thread>

#include "kitbag/pipeline.h"
#include "tests/support/manual_clock.h"
#include "tests/support/source_rules.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::batch_of;
using test::Sample;
using test::Samples;
using test::samples_of;
using test::thrown_by;
using testing::ElementsAre;
using namespace std::chrono_literals;

/// What one message of `payload` bytes takes in a queue.
constexpr std::size_t cost_of(std::size_t payload) {
  return payload + sizeof(Message);
}

/// `count` messages of 100 bytes from `first` on; even ones on /a, odd ones on /b.
Samples hundreds(std::int64_t first, std::int64_t count) {
  Samples samples;
  for (std::int64_t i = first; i < first + count; ++i) {
    samples.push_back({i % 2 ? "/b" : "/a", i, std::string(100, static_cast<char>('a' + i % 26))});
  }
  return samples;
}

std::vector<std::int64_t> times_of(const Samples& samples) {
  std::vector<std::int64_t> times;
  for (const Sample& sample : samples) times.push_back(sample.time);
  return times;
}

/// Both channels in fixed slots, so that batches of several sources share one table.
Batch shared_batch(Samples samples) {
  static const ChannelsPtr table = batch_of(hundreds(0, 2)).channels;
  Batch batch = batch_of(std::move(samples));
  for (Message& message : batch.messages()) {
    message.channel = (*table)[message.channel->topic == "/a" ? 0 : 1].get();
  }
  batch.channels = table;
  return batch;
}

class QueueTest : public testing::Test {
 protected:
  const Wait forever_{};
  const Wait at_once_{{}, SteadyTime::min()};

  Samples read_times(Queue& queue) {
    Batch batch;
    EXPECT_TRUE(queue.read(batch, at_once_));
    return samples_of(batch);
  }

  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
};

TEST_F(QueueTest, GivesWhatWasWrittenThenTheEnd) {
  Queue queue(10'000, OnFull::block, clock_);
  queue.write(shared_batch(hundreds(0, 3)));
  queue.write(shared_batch(hundreds(3, 2)));
  queue.close();
  queue.close();
  EXPECT_EQ(test::collect(queue), hundreds(0, 5));
  Batch batch;
  EXPECT_FALSE(queue.read(batch, forever_));
}

TEST_F(QueueTest, DeclaresChannelsWithoutMessages) {
  Queue queue(10'000, OnFull::block, clock_);
  EXPECT_THAT(*queue.channels(), ElementsAre());
  Batch declares;
  declares.channels = shared_batch({}).channels;
  queue.write(std::move(declares));
  EXPECT_THAT(test::topics_of(queue.channels()), ElementsAre("/a", "/b"));
  Batch batch;
  ASSERT_TRUE(queue.read(batch, forever_));
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(batch.channels, queue.channels());
}

TEST_F(QueueTest, EmptyBatchesDoNotPileUp) {
  Queue queue(10'000, OnFull::block, clock_);
  for (int i = 0; i < 100; ++i) {
    Batch declares;
    declares.channels = std::make_shared<const Channels>(*shared_batch({}).channels);
    queue.write(std::move(declares));
    queue.write(Batch());
  }
  queue.close();
  Batch batch;
  ASSERT_TRUE(queue.read(batch, forever_));
  EXPECT_EQ(batch.channels, queue.channels());
  EXPECT_FALSE(queue.read(batch, forever_));
}

TEST_F(QueueTest, AReadEndsWhenItsTimeComes) {
  Queue queue(10'000, OnFull::block, clock_);
  std::jthread mover([&] {
    clock_->await_waiters(1);
    clock_->advance_to_deadline();
  });
  Batch batch;
  EXPECT_TRUE(queue.read(batch, {{}, clock_->steady() + 5s}));
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(batch.channels, queue.channels());
}

TEST_F(QueueTest, AReadThatIsStoppedGivesWhatIsInside) {
  Queue queue(10'000, OnFull::block, clock_);
  std::stop_source stop;
  queue.write(shared_batch(hundreds(0, 2)));
  queue.write(shared_batch(hundreds(2, 2)));
  stop.request_stop();
  Samples all;
  Batch batch;
  do {
    batch.clear();
    EXPECT_TRUE(queue.read(batch, {stop.get_token(), kNever}));
    Samples part = samples_of(batch);
    all.insert(all.end(), part.begin(), part.end());
  } while (!batch.empty());
  EXPECT_EQ(all, hundreds(0, 4));
}

TEST_F(QueueTest, StoppingWakesAReader) {
  Queue queue(10'000, OnFull::block, clock_);
  std::stop_source stop;
  std::jthread stopper([&] {
    clock_->await_waiters(1);
    stop.request_stop();
  });
  Batch batch;
  EXPECT_TRUE(queue.read(batch, {stop.get_token(), kNever})) << "it is not at its end";
  EXPECT_TRUE(batch.empty());
}

TEST_F(QueueTest, WritingAndClosingWakeAReader) {
  Queue queue(10'000, OnFull::block, clock_);
  std::jthread writer([&] {
    clock_->await_waiters(1);
    queue.write(shared_batch(hundreds(0, 1)));
    clock_->await_waiters(1);
    queue.close();
  });
  EXPECT_EQ(test::collect(queue), hundreds(0, 1));
}

TEST_F(QueueTest, AnErrorComesAfterWhatIsInsideAndOnce) {
  Queue queue(10'000, OnFull::block, clock_);
  queue.write(shared_batch(hundreds(0, 2)));
  queue.fail(std::make_exception_ptr(Error(ErrorCode::io, "the cable is out")));
  EXPECT_EQ(read_times(queue), hundreds(0, 2));
  Batch batch;
  EXPECT_STREQ(thrown_by([&] { queue.read(batch, forever_); }).what(), "the cable is out");
  EXPECT_FALSE(queue.read(batch, forever_));
}

TEST_F(QueueTest, NothingIsWrittenAfterTheClosing) {
  Queue queue(10'000, OnFull::block, clock_);
  queue.close();
  for (int i = 0; i < 2; ++i) {
    Error error = thrown_by([&] { queue.write(shared_batch(hundreds(0, 1))); });
    EXPECT_EQ(error.code(), ErrorCode::invalid);
  }
}

TEST_F(QueueTest, AWriterWaitsForRoom) {
  Queue queue(2 * cost_of(100), OnFull::block, clock_);
  queue.write(shared_batch(hundreds(0, 2)));
  std::jthread writer([&] {
    queue.write(shared_batch(hundreds(2, 1)));
    queue.close();
  });
  clock_->await_waiters(1);
  EXPECT_EQ(read_times(queue), hundreds(0, 2));
  EXPECT_EQ(test::collect(queue), hundreds(2, 1));
  EXPECT_THAT(queue.dropped(), ElementsAre(0, 0));
}

TEST_F(QueueTest, ABatchLargerThanTheQueuePassesWhenItIsEmpty) {
  for (OnFull on_full : {OnFull::block, OnFull::drop_oldest, OnFull::drop_newest}) {
    Queue queue(50, on_full, clock_);
    queue.write(shared_batch(hundreds(0, 5)));
    EXPECT_EQ(read_times(queue), hundreds(0, 5));
    EXPECT_THAT(queue.dropped(), ElementsAre(0, 0));
  }
}

TEST_F(QueueTest, AWriterThatWaitsIsTurnedAwayWhenTheReaderGoes) {
  Queue queue(cost_of(100), OnFull::block, clock_);
  queue.write(shared_batch(hundreds(0, 1)));
  std::jthread reader([&] {
    clock_->await_waiters(1);
    queue.abandon();
  });
  auto write = [&] { queue.write(shared_batch(hundreds(1, 1))); };
  EXPECT_EQ(thrown_by(write).code(), ErrorCode::cancelled);
  EXPECT_EQ(thrown_by(write).code(), ErrorCode::cancelled);
}

TEST_F(QueueTest, AbandoningLetsTheOwnersGo) {
  Queue queue(10'000, OnFull::block, clock_);
  auto chunk = std::make_shared<const int>(7);
  Batch batch = shared_batch(hundreds(0, 1));
  batch.keep(chunk, sizeof(int));
  queue.write(std::move(batch));
  ASSERT_EQ(chunk.use_count(), 2);
  queue.abandon();
  EXPECT_EQ(chunk.use_count(), 1);
  Batch read;
  EXPECT_FALSE(queue.read(read, forever_));
}

TEST_F(QueueTest, DropsTheOldestByTheMessage) {
  Queue queue(5 * cost_of(100), OnFull::drop_oldest, clock_);
  queue.write(shared_batch(hundreds(0, 3)));
  queue.write(shared_batch(hundreds(3, 2)));
  queue.write(shared_batch(hundreds(5, 1)));
  EXPECT_THAT(queue.dropped(), ElementsAre(1, 0));
  queue.write(shared_batch(hundreds(6, 3)));  // the rest of the first batch and one of the second
  EXPECT_THAT(queue.dropped(), ElementsAre(2, 2));
  EXPECT_THAT(times_of(read_times(queue)), ElementsAre(4));
  EXPECT_THAT(times_of(read_times(queue)), ElementsAre(5));
  EXPECT_THAT(times_of(read_times(queue)), ElementsAre(6, 7, 8));
}

TEST_F(QueueTest, DropsOnlyAsManyOfTheOldestAsItMust) {
  Queue queue(3 * cost_of(100), OnFull::drop_oldest, clock_);
  queue.write(shared_batch(hundreds(0, 3)));
  queue.write(shared_batch({{"/b", 3, ""}}));  // cheaper than the one that goes
  EXPECT_THAT(queue.dropped(), ElementsAre(1, 0));
  queue.write(shared_batch({{"/b", 4, ""}}));  // fits into what was freed
  EXPECT_THAT(queue.dropped(), ElementsAre(1, 0));
}

TEST_F(QueueTest, DropsTheNewestByTheMessage) {
  Queue queue(5 * cost_of(100), OnFull::drop_newest, clock_);
  queue.write(shared_batch(hundreds(0, 3)));
  queue.write(shared_batch(hundreds(3, 4)));
  EXPECT_THAT(queue.dropped(), ElementsAre(1, 1));
  queue.write(shared_batch(hundreds(7, 2)));
  EXPECT_THAT(queue.dropped(), ElementsAre(2, 2));
  EXPECT_THAT(times_of(read_times(queue)), ElementsAre(0, 1, 2));
  queue.write(shared_batch(hundreds(9, 1)));
  EXPECT_THAT(times_of(read_times(queue)), ElementsAre(3, 4));
  EXPECT_THAT(times_of(read_times(queue)), ElementsAre(9));
}

TEST_F(QueueTest, ChannelsOfDroppedMessagesAreStillDeclared) {
  Queue queue(cost_of(100), OnFull::drop_newest, clock_);
  queue.write(batch_of(hundreds(0, 1)));
  queue.write(batch_of(hundreds(0, 2)));
  EXPECT_THAT(test::topics_of(queue.channels()), ElementsAre("/a", "/b"));
  EXPECT_THAT(queue.dropped(), ElementsAre(1, 1));
}

TEST_F(QueueTest, MessagesWithoutPayloadAreBoundedToo) {
  Queue queue(10 * cost_of(0), OnFull::drop_newest, clock_);
  for (std::int64_t i = 0; i < 50; ++i) queue.write(shared_batch({{"/a", i, ""}}));
  EXPECT_THAT(queue.dropped(), ElementsAre(40, 0));
}

TEST_F(QueueTest, AFewSmallMessagesDoNotHoldTheirChunk) {
  Queue queue(10'000, OnFull::block, clock_);
  auto chunk = std::make_shared<std::vector<std::byte>>(3 << 20, std::byte{'x'});
  Batch batch = shared_batch({});
  batch.keep(chunk, chunk->size());
  batch.add({batch.channels->front().get(), 0, 0, from_ns(1), from_ns(1), {chunk->data(), 2}});
  queue.write(std::move(batch));
  EXPECT_EQ(chunk.use_count(), 1);
  EXPECT_EQ(read_times(queue), (Samples{{"/a", 1, "xx"}}));
}

TEST_F(QueueTest, WhatIsLeftAfterDroppingIsCompactedToo) {
  Queue queue(3 << 20, OnFull::drop_oldest, clock_);
  auto chunk = std::make_shared<std::vector<std::byte>>(2 << 20, std::byte{'x'});
  Batch batch = shared_batch(hundreds(0, 1));
  batch.clear();
  batch.keep(chunk, chunk->size());
  const Channel* channel = batch.channels->front().get();
  batch.add({channel, 0, 0, {}, {}, ByteView(*chunk).subspan(2)});
  batch.add({channel, 0, 0, {}, {}, ByteView(*chunk).first(2)});
  queue.write(std::move(batch));
  ASSERT_EQ(chunk.use_count(), 2);
  queue.write(shared_batch({{"/a", 1, std::string(2 << 20, 'y')}}));
  EXPECT_EQ(chunk.use_count(), 1);
  EXPECT_EQ(read_times(queue).front().data, "xx");
}

TEST_F(QueueTest, TwoThreadsLoseNothing) {
  auto clock = system_clock();
  Queue queue(20 * cost_of(100), OnFull::block, clock);
  const std::int64_t count = 20'000;
  std::jthread writer([&] {
    for (std::int64_t i = 0; i < count; i += 7) queue.write(shared_batch(hundreds(i, 7)));
    queue.close();
  });
  Samples all = test::collect(queue);
  EXPECT_EQ(all, hundreds(0, static_cast<std::int64_t>(all.size())));
  EXPECT_GE(all.size(), 20'000U);
}

TEST_F(QueueTest, TwoThreadsCountEveryMessageThatTheyDrop) {
  for (OnFull on_full : {OnFull::drop_oldest, OnFull::drop_newest}) {
    auto clock = system_clock();
    Queue queue(20 * cost_of(100), on_full, clock);
    std::jthread writer([&] {
      for (std::int64_t i = 0; i < 21'000; i += 7) queue.write(shared_batch(hundreds(i, 7)));
      queue.close();
    });
    std::vector<std::int64_t> times = times_of(test::collect(queue));
    auto dropped = queue.dropped();
    EXPECT_EQ(times.size() + dropped[0] + dropped[1], 21'000U);
    EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  }
}

TEST_F(QueueTest, KeepsTheRulesOfSources) {
  test::expect_source_rules([this] {
    auto queue = std::make_unique<Queue>(1 << 20, OnFull::block, clock_);
    for (std::int64_t i = 0; i < 5; ++i) queue->write(shared_batch(hundreds(10 * i, 10)));
    queue->close();
    return queue;
  });
}

}  // namespace
}  // namespace kitbag
