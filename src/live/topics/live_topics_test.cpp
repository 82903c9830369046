#include "kitbag/live_topics.h"

#include <gmock/gmock.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "kitbag/error.h"
#include "kitbag/open.h"
#include "kitbag/session.h"
#include "tests/support/manual_clock.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

/// What a system of the test has, and the feed into which it sends.
struct System {
  std::optional<std::vector<LiveTopic>> topics = std::vector<LiveTopic>();
  Feed* feed = nullptr;
  Selection select;
};

class TestSubscriber final : public Subscriber {
 public:
  explicit TestSubscriber(System& system) : system_(system) {}
  void stop() override { system_.feed->close(); }
  std::optional<std::vector<LiveTopic>> topics() const override { return system_.topics; }

 private:
  System& system_;
};

class LiveTopicsTest : public testing::Test {
 protected:
  LiveTopicsTest() {
    Transport transport;
    transport.scheme = "test";
    transport.subscribe = [this](const Location&, const Subscription& wanted, Feed& feed,
                                 const Session&) {
      system_.feed = &feed;
      system_.select = wanted.select;
      return std::make_unique<TestSubscriber>(system_);
    };
    Registry registry = standard_registry();
    registry.transports.push_back(transport);
    session_ = Session(std::move(registry), clock_);
    LiveTopic chat{"/chat", "T"};
    chat.publishers = {{"/talker", "[{reliability: best_effort}]"}};
    chat.subscribers = {{"/listener", "[{reliability: reliable}]"}};
    system_.topics = {{"/a", "T"}, chat};
  }

  static std::vector<std::string> names(const std::vector<WatchedTopic>& topics) {
    std::vector<std::string> all;
    for (const WatchedTopic& each : topics) all.push_back(each.topic);
    return all;
  }
  void push(const ChannelPtr& channel, std::string_view text) {
    Time now = clock_->wall();
    system_.feed->push({channel.get(), 0, 0, now, now, as_bytes(text)});
  }
  static Channel channel(const std::string& topic) {
    Channel made;
    made.topic = topic;
    made.encoding = "json";
    return made;
  }
  /// Takes what is there; the feed gathers for a moment, which passes here.
  void look(LiveTopics& system) {
    clock_->advance(Feed::kGather);
    EXPECT_TRUE(system.look({{}, clock_->steady()}));
  }

  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  System system_;
  Session session_;
};

TEST_F(LiveTopicsTest, ListsWhatIsSelectedAndReceivesNothing) {
  LiveTopics all("test://x?secret=1", {}, session_);
  EXPECT_FALSE(Selector(system_.select).matches("/a", "T"));
  auto topics = all.topics();
  EXPECT_THAT(names(topics), ElementsAre("/a", "/chat"));
  ASSERT_THAT(topics[1].conflicts, SizeIs(1));
  EXPECT_EQ(topics[1].conflicts[0].policy, "reliability");
  EXPECT_FALSE(topics[1].rates);
  LiveTopicsOptions options;
  options.select.topics = {"/ch*"};
  EXPECT_THAT(names(LiveTopics("test://x", options, session_).topics()), ElementsAre("/chat"));
}

TEST_F(LiveTopicsTest, MeasuresWhatComes) {
  LiveTopicsOptions options;
  options.measures = true;
  options.select.topics = {"/a", "/late"};
  LiveTopics system("test://x", options, session_);
  EXPECT_EQ(system_.select, options.select);
  auto a = system_.feed->add(channel("/a"));
  for (int i = 0; i < 3; ++i) {
    push(a, "1234");
    look(system);
    clock_->advance(95ms);
  }
  auto late = system_.feed->add(channel("/late"));
  push(late, "12345678");
  system_.feed->count_lost(*late, 7);
  look(system);
  auto topics = system.topics();
  // The system lists "/a" with a type that its channel lacks.
  EXPECT_THAT(names(topics), ElementsAre("/a", "/a", "/late"));
  EXPECT_EQ(topics[0].rates->messages, 3U);
  EXPECT_EQ(topics[0].rates->mean, 100ms);
  EXPECT_DOUBLE_EQ(topics[0].rates->hz(), 10);
  EXPECT_EQ(topics[2].rates->messages, 1U);
  EXPECT_EQ(topics[2].lost, 7U);
  EXPECT_EQ(topics[2].dropped, 0U);
}

TEST_F(LiveTopicsTest, SaysWhenTheSystemHasEnded) {
  LiveTopics system("test://x", {}, session_);
  look(system);
  system_.feed->close();
  EXPECT_FALSE(system.look({{}, clock_->steady() + 1s}));
  LiveTopics failing("test://x", {}, session_);
  system_.feed->fail(std::make_exception_ptr(Error(ErrorCode::io, "gone")));
  EXPECT_ERROR(io, failing.look({{}, clock_->steady() + 1s}));
}

TEST_F(LiveTopicsTest, AStopEndsALook) {
  LiveTopics system("test://x", {}, session_);
  std::stop_source stop;
  std::jthread stopping([&] { stop.request_stop(); });
  EXPECT_TRUE(system.look({stop.get_token(), kNever}));
}

TEST_F(LiveTopicsTest, OneThatCannotSayIsListenedTo) {
  system_.topics = std::nullopt;
  EXPECT_ERROR(io, LiveTopics("test://x", {}, session_).topics());
  LiveTopicsOptions options;
  options.measures = true;
  LiveTopics system("test://x", options, session_);
  EXPECT_THAT(system.topics(), IsEmpty());
  push(system_.feed->add(channel("/a")), "1");
  look(system);
  EXPECT_THAT(names(system.topics()), ElementsAre("/a"));
  EXPECT_ERROR(invalid, LiveTopics("nowhere://", {}, session_));
}

TEST_F(LiveTopicsTest, TheDemoListsItsTopicsAtOnce) {
  LiveTopics system("demo://?seconds=1", {}, session_);
  auto topics = system.topics();
  ASSERT_THAT(topics, SizeIs(12));
  EXPECT_EQ(topics[0].topic, "/battery");
  EXPECT_EQ(topics[0].type, "sensor_msgs/BatteryState");
  ASSERT_THAT(topics[0].publishers, SizeIs(1));
  EXPECT_EQ(topics[0].publishers[0].node, "/demo");
  EXPECT_EQ(settling_time("demo://?seconds=1"), Duration::zero());
  EXPECT_GT(settling_time("ros2://"), Duration::zero());
}

}  // namespace
}  // namespace kitbag
