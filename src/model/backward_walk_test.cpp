#include "model/backward_walk.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/support/memory_source.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::Sample;
using test::Samples;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A message of /rare at 10, and one of /often at each ten up to 100.
class WalkedBag final : public Bag {
 public:
  WalkedBag() {
    for (std::int64_t time = 100; time >= 10; time -= 10) samples_.push_back({"/often", time, "o"});
    samples_.push_back({"/rare", 10, "r"});
    Channels channels;
    for (const char* topic : {"/often", "/rare", "/never"}) {
      auto channel = std::make_shared<Channel>();
      channel->topic = topic;
      channel->slot = static_cast<std::uint32_t>(channels.size());
      channels.push_back(std::move(channel));
    }
    summary_.channels = std::make_shared<const Channels>(std::move(channels));
    summary_.message_counts = {10, 1, 0};
  }

  const Summary& summary() const override { return summary_; }
  std::unique_ptr<Source> read_messages(const Query& query, const Wait&) const override {
    Samples wanted;
    for (const Sample& sample : samples_) {
      bool is_selected = std::find(query.select.topics.begin(), query.select.topics.end(),
                                   sample.topic) != query.select.topics.end();
      Time time = from_ns(sample.time);
      if (is_selected && time < query.end && time >= query.begin) wanted.push_back(sample);
    }
    return std::make_unique<Walking>(std::move(wanted), *this);
  }

  mutable std::size_t walked = 0;

 private:
  /// One message a batch.
  class Walking final : public Source {
   public:
    Walking(Samples samples, const WalkedBag& bag) : samples_(std::move(samples)), bag_(bag) {}
    ChannelsPtr channels() const override { return bag_.summary_.channels; }
    bool read(Batch& batch, const Wait&) override {
      if (next_ == samples_.size()) return false;
      ++bag_.walked;
      const Sample& sample = samples_[next_++];
      for (const ChannelPtr& channel : *channels()) {
        if (channel->topic != sample.topic) continue;
        Time time = from_ns(sample.time);
        batch.add({channel.get(), 0, 0, time, time, as_bytes(sample.data)});
      }
      return true;
    }

   private:
    Samples samples_;
    const WalkedBag& bag_;
    std::size_t next_ = 0;
  };

  Samples samples_;
  Summary summary_;
};

class BackwardWalkTest : public ::testing::Test {
 protected:
  std::vector<std::int64_t> times(std::int64_t before, std::vector<std::uint8_t> slots) {
    LastQuery query;
    query.slots = std::move(slots);
    query.time = from_ns(before);
    Batch found = walk_.find_last(bag_, query, {});
    std::vector<std::int64_t> times;
    for (const Message& message : found.messages()) times.push_back(to_ns(message.log_time));
    return times;
  }

  WalkedBag bag_;
  BackwardWalk walk_;
};

TEST_F(BackwardWalkTest, FindsTheLastOfEachChannelInTheOrderOfTime) {
  EXPECT_THAT(times(75, {1, 1, 0}), ElementsAre(10, 70));
  EXPECT_THAT(times(10, {1, 1, 0}), IsEmpty());
  EXPECT_THAT(times(11, {1, 0, 0}), ElementsAre(10));
}

TEST_F(BackwardWalkTest, WhatWasFoundHoldsForAllTimesBehindIt) {
  EXPECT_THAT(times(75, {0, 1, 1}), ElementsAre(10));
  std::size_t walked = bag_.walked;
  for (std::int64_t time : {74, 40, 11}) EXPECT_THAT(times(time, {0, 1, 1}), ElementsAre(10));
  EXPECT_EQ(bag_.walked, walked) << "all of it was known";
  EXPECT_THAT(times(10, {0, 1, 1}), IsEmpty()) << "what begins at a time is not before it";
}

TEST_F(BackwardWalkTest, AWalkFromALaterTimeEndsWhereTheOldOneBegan) {
  EXPECT_THAT(times(75, {1, 1, 0}), ElementsAre(10, 70));
  std::size_t walked = bag_.walked;
  EXPECT_THAT(times(95, {1, 1, 0}), ElementsAre(10, 90));
  EXPECT_LE(bag_.walked - walked, 2U) << "at 80 and 90";
  EXPECT_THAT(times(90, {1, 1, 0}), ElementsAre(10, 80));
}

TEST_F(BackwardWalkTest, AStopIsHeeded) {
  std::stop_source stop;
  stop.request_stop();
  LastQuery query;
  query.slots = {1, 1, 1};
  query.time = from_ns(75);
  EXPECT_ERROR(cancelled, walk_.find_last(bag_, query, Wait{stop.get_token()}));
}

}  // namespace
}  // namespace kitbag
