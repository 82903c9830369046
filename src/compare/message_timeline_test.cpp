#include "kitbag/message_timeline.h"

#include <gmock/gmock.h>

#include "kitbag/bag_stream.h"
#include "kitbag/file.h"
#include "model/listed_times.h"
#include "tests/support/stamped.h"
#include "tests/support/thrown_by.h"
#include "tests/support/units.h"

namespace kitbag {
namespace {

using test::kSecond;
using test::kStamped;
using namespace std::chrono_literals;
using ::testing::ElementsAre;

/// A bag in memory: what test messages say, in chunks with an index.
class MessageTimelineTest : public ::testing::Test {
 protected:
  MessageTimelineTest() {
    writer_ = create_bag_stream([this](ByteView more) { bytes_ += as_text(more); },
                                {.format = "mcap", .chunk_bytes = 200}, session_);
  }

  void add(const ChannelPtr& channel, std::int64_t ns, std::uint32_t sequence = 0,
           std::string_view payload = "payload") {
    ByteView piece = as_bytes(payload);
    writer_->append(channel, {from_ns(ns), from_ns(ns), sequence}, {&piece, 1});
  }
  static ChannelPtr channel(std::string topic, SchemaPtr schema = nullptr) {
    return std::make_shared<const Channel>(Channel{std::move(topic), "ros1", std::move(schema)});
  }
  BagPtr bag() {
    writer_->close();
    Input input;
    input.path = "test";
    input.file = memory_file(as_bytes(bytes_));
    return session_.open(input);
  }

  Session session_;
  std::string bytes_;
  std::unique_ptr<Writer> writer_;
};

TEST_F(MessageTimelineTest, CountsByBucketWithTheIndexOrWithout) {
  ChannelPtr a = channel("/a");
  ChannelPtr b = channel("/b");
  for (std::int64_t second = 0; second <= 10; ++second) {
    add(a, second * kSecond);
    if (second % 5 == 0) add(b, second * kSecond);
  }
  BagPtr whole = bag();
  ASSERT_NE(find_listed_times(*whole), nullptr);
  for (bool reads : {false, true}) {
    TimelineOptions options;
    options.buckets = 2;
    options.reads_messages = reads;
    MessageTimeline timeline = message_timeline(*whole, options, session_);
    EXPECT_EQ(timeline.bucket_duration, 5s + 1ns);
    ASSERT_EQ(timeline.topics.size(), 2U);
    EXPECT_EQ(timeline.topics[0].topic, "/a");
    EXPECT_EQ(timeline.topics[0].messages, 11U);
    EXPECT_THAT(timeline.topics[0].counts, ElementsAre(6, 5));
    EXPECT_THAT(timeline.topics[1].counts, ElementsAre(2, 1));
    EXPECT_NEAR(static_cast<double>(timeline.topics[0].median_period->count()), 1e9, 1e7);
    EXPECT_TRUE(timeline.topics[0].gaps.empty());
  }
}

TEST_F(MessageTimelineTest, AGapIsSilenceForMoreThanSomePeriods) {
  ChannelPtr a = channel("/a");
  ChannelPtr b = channel("/b");
  for (std::int64_t second : {2, 3, 4, 5, 12, 13, 14}) add(a, second * kSecond);
  for (std::int64_t second : {0, 30}) add(b, second * kSecond);
  MessageTimeline timeline = message_timeline(*bag(), {}, session_);
  const TopicTimeline& topic = timeline.topics[0];
  ASSERT_EQ(topic.gaps.size(), 2U);
  EXPECT_EQ(topic.gaps[0].begin, from_ns(5 * kSecond));
  EXPECT_EQ(topic.gaps[0].end, from_ns(12 * kSecond));
  EXPECT_EQ(topic.gaps[1].end, from_ns(30 * kSecond));  // the end of the bag
  EXPECT_FALSE(topic.has_more_gaps);
  EXPECT_FALSE(timeline.topics[1].median_period);
}

/// A bag whose index says that it begins later than it does.
class LateBag final : public Bag {
 public:
  LateBag(BagPtr bag, Time start) : bag_(std::move(bag)), summary_(bag_->summary()) {
    summary_.start = start;
  }
  const Summary& summary() const override { return summary_; }
  std::unique_ptr<Source> read_messages(const Query& query, const Wait& wait) const override {
    return bag_->read_messages(query, wait);
  }

 private:
  BagPtr bag_;
  Summary summary_;
};

TEST_F(MessageTimelineTest, MessagesBeforeTheStartMakeNoGap) {
  ChannelPtr a = channel("/a");
  for (std::int64_t second = 1000; second < 1010; ++second) add(a, second * kSecond);
  LateBag late(bag(), from_ns(1005 * kSecond));
  TimelineOptions options;
  options.reads_messages = true;
  const TopicTimeline topic = message_timeline(late, options, session_).topics[0];
  EXPECT_EQ(topic.messages, 10U);
  EXPECT_TRUE(topic.gaps.empty());
  EXPECT_LT(*topic.median_period, 2s);
}

TEST_F(MessageTimelineTest, TheLongestGapsAreKept) {
  ChannelPtr a = channel("/a");
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < 150; ++i) {
    for (int k = 0; k < 3; ++k) add(a, at += 1'000'000);
    at += kSecond + i;
  }
  MessageTimeline timeline = message_timeline(*bag(), {}, session_);
  const TopicTimeline& topic = timeline.topics[0];
  EXPECT_EQ(topic.gaps.size(), TopicTimeline::kMostGaps);
  EXPECT_TRUE(topic.has_more_gaps);
  EXPECT_EQ(topic.gaps.back().end - topic.gaps.back().begin, 1s + 1ms + 148ns);
}

TEST_F(MessageTimelineTest, DelaysAndMissingNumbersAreReadFromMessages) {
  ChannelPtr stamped =
      channel("/s", std::make_shared<const Schema>(Schema{"pkg/S", "ros1msg", kStamped}));
  // Sequence, stamp of 10 s, no frame.
  std::string payload("\0\0\0\0\x0a\0\0\0\0\0\0\0\0\0\0\0", 16);
  for (std::uint32_t sequence : {1U, 2U, 5U, 6U}) {
    add(stamped, 10 * kSecond + sequence * 1'000'000, sequence, payload);
  }
  BagPtr whole = bag();
  TimelineOptions options;
  EXPECT_FALSE(message_timeline(*whole, options, session_).topics[0].delay);
  options.reads_messages = true;
  TopicTimeline topic = message_timeline(*whole, options, session_).topics[0];
  EXPECT_EQ(topic.missing, 2U);
  ASSERT_TRUE(topic.delay);
  EXPECT_EQ(topic.delay->least, 1ms);
  EXPECT_EQ(topic.delay->most, 6ms);
  EXPECT_NEAR(static_cast<double>(topic.delay->median.count()), 2e6, 2e4);
}

TEST_F(MessageTimelineTest, DelaysGoOnBehindAMessageThatCannotBeDecoded) {
  ChannelPtr stamped =
      channel("/s", std::make_shared<const Schema>(Schema{"pkg/S", "ros1msg", kStamped}));
  std::string payload("\0\0\0\0\x0a\0\0\0\0\0\0\0\0\0\0\0", 16);
  add(stamped, 10 * kSecond, 1, "x");
  add(stamped, 10 * kSecond + 1'000'000, 2, payload);
  TimelineOptions options;
  options.reads_messages = true;
  std::size_t problems = 0;
  options.on_problem = [&](const Error&) { ++problems; };
  TopicTimeline topic = message_timeline(*bag(), options, session_).topics[0];
  EXPECT_EQ(problems, 1U);
  ASSERT_TRUE(topic.delay);
  EXPECT_EQ(topic.delay->least, 1ms);
}

TEST_F(MessageTimelineTest, LimitsAreKept) {
  add(channel("/a"), 1);
  BagPtr whole = bag();
  TimelineOptions options;
  options.buckets = 0;
  EXPECT_ERROR(invalid, message_timeline(*whole, options, session_));
  options = {};
  options.gap_factor = 1;
  EXPECT_ERROR(invalid, message_timeline(*whole, options, session_));
  options = {};
  options.most_time = Duration(-1);
  EXPECT_ERROR(limit, message_timeline(*whole, options, session_));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_ERROR(cancelled, message_timeline(*whole, {}, session_, {stop.get_token()}));
}

}  // namespace
}  // namespace kitbag
