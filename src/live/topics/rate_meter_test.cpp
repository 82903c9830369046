#include <gmock/gmock.h>

#include <memory>
#include <string>

#include "kitbag/live_topics.h"

namespace kitbag {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

class Meter : public testing::Test {
 protected:
  static ChannelPtr channel(const std::string& topic, std::uint32_t slot) {
    Channel made;
    made.topic = topic;
    made.encoding = "json";
    made.schema = std::make_shared<const Schema>(Schema{"T", "", ""});
    made.slot = slot;
    return std::make_shared<const Channel>(std::move(made));
  }
  void add(std::size_t slot, Duration at, std::size_t bytes) {
    Batch batch;
    batch.channels = channels_;
    Time time{at};
    batch.add({(*channels_)[slot].get(), 0, 0, time, time, ByteView(payload_).first(bytes)});
    meter_.add(batch);
  }
  TopicRates rates(std::size_t index = 0) const { return meter_.rates().at(index); }

  std::vector<std::byte> payload_ = std::vector<std::byte>(1000);
  ChannelsPtr channels_ =
      std::make_shared<const Channels>(Channels{channel("/b", 0), channel("/a", 1)});
  RateMeter meter_;
};

TEST_F(Meter, NothingIsNothing) {
  EXPECT_THAT(meter_.rates(), IsEmpty());
}

TEST_F(Meter, IntervalsAreThoseBetweenMessages) {
  add(0, 10ms, 100);
  add(0, 20ms, 200);
  add(0, 50ms, 600);
  ASSERT_THAT(meter_.rates(), SizeIs(1));
  TopicRates b = rates();
  EXPECT_EQ(b.topic, "/b");
  EXPECT_EQ(b.type, "T");
  EXPECT_EQ(b.encoding, "json");
  EXPECT_EQ(b.messages, 3U);
  EXPECT_EQ(b.bytes, 900U);
  EXPECT_EQ(b.least_bytes, 100U);
  EXPECT_EQ(b.most_bytes, 600U);
  EXPECT_EQ(b.intervals, 2U);
  EXPECT_EQ(b.least, 10ms);
  EXPECT_EQ(b.most, 30ms);
  EXPECT_EQ(b.mean, 20ms);
  EXPECT_EQ(b.deviation, 10ms);
  EXPECT_DOUBLE_EQ(b.hz(), 50);
  EXPECT_DOUBLE_EQ(b.bytes_per_second(), 300 * 50);
}

TEST_F(Meter, OneMessageHasNoRate) {
  add(1, 10ms, 1);
  EXPECT_EQ(rates().intervals, 0U);
  EXPECT_EQ(rates().hz(), 0);
  EXPECT_EQ(rates().bytes_per_second(), 0);
}

TEST_F(Meter, MessagesOutOfOrderAreNoTimeApart) {
  add(0, 50ms, 1);
  add(0, 40ms, 1);
  add(0, 60ms, 1);
  EXPECT_EQ(rates().least, 0ms);
  EXPECT_EQ(rates().most, 10ms);
  add(1, 5ms, 1);
  add(1, 5ms, 1);
  EXPECT_EQ(rates(0).topic, "/a");
  EXPECT_EQ(rates(0).hz(), 0);
}

TEST_F(Meter, ChannelsOfATopicAreOne) {
  add(0, 10ms, 1);
  // A new table, where the topic has another slot and a second publisher.
  channels_ = std::make_shared<const Channels>(Channels{channel("/a", 0), channel("/b", 1)});
  add(1, 30ms, 1);
  ASSERT_THAT(meter_.rates(), SizeIs(1));
  EXPECT_EQ(rates().mean, 20ms);
}

TEST_F(Meter, PeriodsMoveOn) {
  meter_ = RateMeter(2);
  add(0, 10ms, 1);
  add(0, 20ms, 1);
  meter_.begin_period();
  add(0, 40ms, 1);
  EXPECT_EQ(rates().messages, 3U);
  EXPECT_EQ(rates().mean, 15ms);
  meter_.begin_period();  // the first one is forgotten
  EXPECT_EQ(rates().messages, 1U);
  EXPECT_EQ(rates().mean, 20ms);
  meter_.begin_period();
  EXPECT_EQ(rates().messages, 0U);
  EXPECT_EQ(rates().least_bytes, 0U);
  EXPECT_EQ(rates().hz(), 0);
}

TEST_F(Meter, WithoutPeriodsNothingIsForgotten) {
  add(0, 10ms, 1);
  meter_.begin_period();
  add(0, 20ms, 1);
  EXPECT_EQ(rates().messages, 2U);
}

}  // namespace
}  // namespace kitbag
