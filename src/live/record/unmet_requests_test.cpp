#include "live/record/unmet_requests.h"

#include <gmock/gmock.h>

#include "tests/support/memory_source.h"

namespace kitbag {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;
using namespace std::chrono_literals;

/// A system with these topics, on which nothing comes.
class QuietSource final : public LiveSource {
 public:
  explicit QuietSource(std::vector<std::string> topics) {
    Channels channels;
    for (const std::string& topic : topics) {
      topics_.emplace_back().topic = topic;
      auto channel = std::make_shared<Channel>();
      channel->topic = topic;
      channel->slot = static_cast<std::uint32_t>(channels.size());
      channels.push_back(std::move(channel));
    }
    channels_ = std::make_shared<const Channels>(std::move(channels));
  }
  ChannelsPtr channels() const override { return channels_; }
  bool read(Batch&, const Wait&) override { return false; }
  void stop() override {}
  void abandon() override {}
  std::vector<std::uint64_t> dropped() const override { return {}; }
  std::vector<std::uint64_t> lost() const override { return {}; }
  std::size_t held_bytes() const override { return 0; }
  std::optional<std::vector<LiveTopic>> topics() const override { return topics_; }

 private:
  ChannelsPtr channels_;
  std::vector<LiveTopic> topics_;
};

class UnmetRequestsTest : public ::testing::Test {
 protected:
  /// So many messages came on the topic before the clock.
  void leave_out(const std::string& topic, std::uint64_t messages) {
    auto channel = std::make_shared<Channel>();
    channel->topic = topic;
    clock_.left_out.push_back({channel, messages, true});
  }
  static std::vector<std::string> texts(const std::vector<Error>& told) {
    std::vector<std::string> texts;
    for (const Error& each : told) texts.push_back(each.message());
    return texts;
  }
  std::vector<std::string> told_at_end() {
    UnmetRequests unmet(options_, clock_);
    return texts(unmet.tell_at_end(robot_));
  }

  RecordOptions options_;
  SimTimeReport clock_;
  QuietSource quiet_{{}};
  QuietSource robot_{{"/camera/image", "/imu"}};
};

TEST_F(UnmetRequestsTest, WhatCameBeforeTheClockIsCountedAndToldOnce) {
  options_.uses_sim_time = true;
  leave_out("/imu", 230);
  leave_out("/odom", 1);
  UnmetRequests unmet(options_, clock_);
  EXPECT_THAT(unmet.tell(1s, quiet_), IsEmpty());
  clock_.has_time = true;
  EXPECT_THAT(texts(unmet.tell(2s, quiet_)),
              ElementsAre("231 messages came before the first message on /clock and are left out"));
  EXPECT_THAT(unmet.tell(3s, quiet_), IsEmpty());
  std::map<std::string, std::uint64_t> dropped{{"/imu", 1}};
  unmet.count(dropped);
  EXPECT_THAT(dropped, UnorderedElementsAre(Pair("/imu", 231), Pair("/odom", 1)));
}

TEST_F(UnmetRequestsTest, AClockThatNobodyPublishesIsTheOnlySilence) {
  options_.uses_sim_time = true;
  options_.select.topics = {"/imu", "/clock"};
  leave_out("/imu", 2);
  UnmetRequests unmet(options_, clock_);
  EXPECT_THAT(texts(unmet.tell(5s, quiet_)),
              ElementsAre("no message has come on /clock for 5 s; kitbag goes on waiting"));
  EXPECT_THAT(texts(unmet.tell_at_end(quiet_)),
              ElementsAre("nothing was published on /clock, so 2 messages are left out"));
}

TEST_F(UnmetRequestsTest, WithoutNamesTheClockIsWaitedFor) {
  options_.uses_sim_time = true;
  UnmetRequests unmet(options_, clock_);
  EXPECT_THAT(texts(unmet.tell(5s, quiet_)),
              ElementsAre("no message has come on /clock for 5 s; kitbag goes on waiting"));
  EXPECT_THAT(told_at_end(), ElementsAre("nothing was published on /clock"));
  leave_out("/clock", 1);
  EXPECT_THAT(told_at_end(), ElementsAre("no message on /clock has a time, so 1 message is left "
                                         "out"));
}

TEST_F(UnmetRequestsTest, ASilentTopicIsToldWithThoseOfTheSystem) {
  options_.select.topics = {"/imuu"};
  EXPECT_THAT(told_at_end(), ElementsAre("no message came on /imuu; similar: /imu; available "
                                         "topics: /camera/image, /imu"));
}

TEST_F(UnmetRequestsTest, WhatExcludesNothingIsTold) {
  options_.select.exclude = {"/camera/imge", "/im*"};
  options_.select.exclude_expressions = {"/x"};
  auto told = ElementsAre("nothing is excluded by \"/camera/imge\" so far; similar: /camera/image",
                          "nothing is excluded by \"/x\" so far");
  EXPECT_THAT(told_at_end(), told);
  UnmetRequests unmet(options_, clock_);
  EXPECT_THAT(unmet.tell(4s, robot_), IsEmpty());
  EXPECT_EQ(unmet.tell(5s, robot_).size(), 3U) << "these, and that nothing has come";
  EXPECT_THAT(unmet.tell_at_end(robot_), IsEmpty()) << "it has been reported";
  EXPECT_THAT(UnmetRequests(options_, clock_).tell_at_end(quiet_), IsEmpty())
      << "the system says nothing";
}

TEST_F(UnmetRequestsTest, AChunkSizeOfATopicThatNeverCameIsTold) {
  options_.target.write.topic_chunks = {{"/imu", 1000}, {"/nope*", 1000}};
  EXPECT_THAT(told_at_end(),
              ElementsAre("no topic matches \"/nope*\", which has a chunk size of its own"));
}

}  // namespace
}  // namespace kitbag
