#include <gmock/gmock.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/listen.h"
#include "kitbag/open.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_source.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;
using namespace std::chrono_literals;

using Topics = std::optional<std::vector<LiveTopic>>;

class SilentSubscriber final : public Subscriber {
 public:
  SilentSubscriber(Feed& feed, Topics topics) : feed_(feed), topics_(std::move(topics)) {}
  void stop() override { feed_.close(); }
  Topics topics() const override { return topics_; }

 private:
  Feed& feed_;
  Topics topics_;
};

/// Systems "test://NAME", whose messages the test pushes.
class SeveralTest : public testing::Test {
 protected:
  SeveralTest() {
    Transport transport;
    attempts_["a"] = attempts_["b"] = 0;  // their places, before threads look them up
    topics_["a"] = topics_["b"] = std::nullopt;
    transport.scheme = "test";
    transport.subscribe = [this](const Location& location, const Subscription&, Feed& feed,
                                 const Session&) -> std::unique_ptr<Subscriber> {
      ++attempts_[location.path];
      if (is_away(location.path)) throw Error(why_away_, "the system is away");
      feeds_[location.path] = &feed;
      return std::make_unique<SilentSubscriber>(feed, topics_[location.path]);
    };
    Registry registry = standard_registry();
    registry.transports.push_back(transport);
    session_ = Session(std::move(registry), clock_);
  }

  void set_away(std::set<std::string> systems) {
    std::lock_guard lock(mutex_);
    away_ = std::move(systems);
  }
  bool is_away(const std::string& system) {
    std::lock_guard lock(mutex_);
    return away_.contains(system);
  }

  void open(const FeedOptions& options = {}) {
    Subscription wanted;
    wanted.on_warning = [this](const Error& warning) {
      warnings_.push_back(std::string(to_string(warning.code())) + ": " + warning.what());
    };
    source_.reset();
    source_ = listen({"test://a", "test://b?x=1"}, wanted, options, session_);
  }

  /// Attempts have threads of their own.
  void await_attempts(int count) {
    while (attempts_["b"] < count) EXPECT_THAT(take(), IsEmpty());
  }
  void await_missing(std::size_t count) {
    while (source_->missing().size() > count) EXPECT_THAT(take(), IsEmpty());
  }

  void push(const std::string& system, const ChannelPtr& channel, std::string_view text) {
    Time now = clock_->wall();
    feeds_[system]->push({channel.get(), 0, 0, now, now, as_bytes(text)});
  }

  /// "/topic text" of what is at hand; the clock moves on so that the feeds give it.
  std::vector<std::string> take() { return take(*source_); }
  std::vector<std::string> take(Source& source) {
    std::vector<std::string> taken;
    for (int i = 0; i < 4; ++i) {
      clock_->advance(Feed::kGather);
      Batch batch;
      if (!source.read(batch, {{}, SteadyTime::min()})) {
        has_ended_ = true;
        break;
      }
      for (const Message& message : std::as_const(batch).messages()) {
        EXPECT_EQ(message.channel, (*batch.channels)[message.channel->slot].get());
        taken.push_back(message.channel->topic + " " + std::string(as_text(message.data)));
      }
    }
    return taken;
  }

  static Channel channel(const std::string& topic) {
    Channel made;
    made.topic = topic;
    made.encoding = "json";
    return made;
  }

  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  std::map<std::string, Feed*> feeds_;
  std::map<std::string, Topics> topics_;  ///< absent: the system cannot say
  std::map<std::string, std::atomic<int>> attempts_;
  std::mutex mutex_;
  std::set<std::string> away_;  ///< under the mutex, because attempts have threads of their own
  std::atomic<ErrorCode> why_away_ = ErrorCode::io;
  std::vector<std::string> warnings_;
  Session session_;
  std::unique_ptr<LiveSource> source_;
  bool has_ended_ = false;
};

TEST_F(SeveralTest, MessagesOfAllComeOnChannelsOfOneTable) {
  open();
  auto of_a = feeds_["a"]->add(channel("/a"));
  auto of_b = feeds_["b"]->add(channel("/b"));
  push("a", of_a, "1");
  push("b", of_b, "2");
  EXPECT_THAT(take(), UnorderedElementsAre("/a 1", "/b 2"));
  auto late = feeds_["b"]->add(channel("/late"));
  push("b", late, "3");
  push("a", of_a, "4");
  EXPECT_THAT(take(), UnorderedElementsAre("/late 3", "/a 4"));
  EXPECT_THAT(*source_->channels(), SizeIs(3));
}

TEST_F(SeveralTest, ChannelsOfEqualContentAreOne) {
  open();
  auto of_a = feeds_["a"]->add(channel("/same"));
  auto of_b = feeds_["b"]->add(channel("/same"));
  push("a", of_a, "1");
  push("b", of_b, "2");
  EXPECT_THAT(take(), UnorderedElementsAre("/same 1", "/same 2"));
  EXPECT_THAT(*source_->channels(), SizeIs(1));
}

TEST_F(SeveralTest, TopicsOfAllAreListed) {
  open();
  EXPECT_FALSE(source_->topics());
  LiveTopic of_a{"/same", "T"};
  of_a.publishers = {{"/talker of a", ""}};
  LiveTopic of_b{"/same", "T"};
  of_b.publishers = {{"/talker of b", ""}};
  of_b.subscribers = {{"/listener", ""}};
  topics_["a"] = {of_a};
  topics_["b"] = {of_b, LiveTopic{"/same", "U"}};
  open();
  auto topics = source_->topics();
  ASSERT_TRUE(topics);
  ASSERT_THAT(*topics, SizeIs(2));
  EXPECT_EQ((*topics)[0].type, "T");
  EXPECT_THAT((*topics)[0].publishers, SizeIs(2));
  EXPECT_THAT((*topics)[0].subscribers, SizeIs(1));
  EXPECT_EQ((*topics)[1].type, "U");
  set_away({"a"});  // those of the others are there
  open();
  ASSERT_TRUE(source_->topics());
  EXPECT_THAT((*source_->topics())[0].publishers, SizeIs(1));
}

TEST_F(SeveralTest, ItEndsWhenAllHaveEnded) {
  open();
  auto of_b = feeds_["b"]->add(channel("/b"));
  feeds_["a"]->close();
  EXPECT_THAT(take(), IsEmpty());
  EXPECT_FALSE(has_ended_);
  push("b", of_b, "still there");
  EXPECT_THAT(take(), ElementsAre("/b still there"));
  feeds_["b"]->close();
  EXPECT_THAT(take(), IsEmpty());
  EXPECT_TRUE(has_ended_);
}

TEST_F(SeveralTest, AStopEndsAllWithWhatHasCome) {
  open();
  auto of_a = feeds_["a"]->add(channel("/a"));
  push("a", of_a, "1");
  source_->stop();
  EXPECT_THAT(take(), ElementsAre("/a 1"));
  EXPECT_TRUE(has_ended_);
}

TEST_F(SeveralTest, OneThatIsMissingJoinsWhenItIsThere) {
  set_away({"b"});
  open();
  EXPECT_THAT(source_->missing(), ElementsAre("test://b"));
  EXPECT_THAT(warnings_, ElementsAre("io: test://b: the system is away; the other systems are "
                                     "recorded, and kitbag tries again until this one is there"));
  auto of_a = feeds_["a"]->add(channel("/a"));
  push("a", of_a, "1");
  EXPECT_THAT(take(), ElementsAre("/a 1"));
  clock_->advance(10s);
  await_attempts(2);
  EXPECT_THAT(warnings_, SizeIs(1));  // it is said once
  set_away({});
  clock_->advance(30s);
  await_missing(0);
  EXPECT_THAT(warnings_, ElementsAre(testing::_, "remark: test://b: the system is there now"));
  auto of_b = feeds_["b"]->add(channel("/b"));
  push("a", of_a, "2");
  push("b", of_b, "3");
  EXPECT_THAT(take(), UnorderedElementsAre("/a 2", "/b 3"));
}

TEST_F(SeveralTest, ANewReasonWhyOneIsMissingIsReportedOnce) {
  set_away({"b"});
  open();
  why_away_ = ErrorCode::unsupported;
  for (int attempt = 2; attempt <= 4; ++attempt) {
    clock_->advance(30s);
    await_attempts(attempt);
  }
  EXPECT_THAT(warnings_, SizeIs(2));
  EXPECT_THAT(warnings_.back(), testing::StartsWith("unsupported: test://b: the system is away;"));
  set_away({});
  clock_->advance(30s);
  await_missing(0);
}

TEST_F(SeveralTest, OneThatFailsIsMissingUntilItIsThereAgain) {
  open();
  auto of_a = feeds_["a"]->add(channel("/a"));
  auto of_b = feeds_["b"]->add(channel("/b"));
  push("b", of_b, "1");
  EXPECT_THAT(take(), ElementsAre("/b 1"));
  feeds_["b"]->count_lost(*of_b, 3);
  feeds_["b"]->fail(std::make_exception_ptr(Error(ErrorCode::io, "gone")));
  push("a", of_a, "2");
  EXPECT_THAT(take(), ElementsAre("/a 2"));
  EXPECT_THAT(source_->missing(), ElementsAre("test://b"));
  EXPECT_THAT(warnings_, ElementsAre(testing::HasSubstr("gone; the other systems are recorded")));
  clock_->advance(2s);
  await_missing(0);
  feeds_["b"]->add(channel("/first now"));
  of_b = feeds_["b"]->add(channel("/b"));
  push("b", of_b, "4");
  feeds_["b"]->count_lost(*of_b, 4);
  EXPECT_THAT(take(), ElementsAre("/b 4"));
  EXPECT_THAT(*source_->channels(), SizeIs(3));
  std::uint64_t lost = 0;
  for (std::uint64_t each : source_->lost()) lost += each;
  EXPECT_EQ(lost, 7U);
}

TEST_F(SeveralTest, AStopDoesNotWaitForOneThatIsMissing) {
  set_away({"b"});
  open();
  source_->stop();
  EXPECT_THAT(take(), IsEmpty());
  EXPECT_TRUE(has_ended_);
}

TEST_F(SeveralTest, WithoutAnyItEndsWithAnError) {
  open();
  feeds_["a"]->fail(std::make_exception_ptr(Error(ErrorCode::io, "gone")));
  EXPECT_THAT(take(), IsEmpty());
  set_away({"a"});
  feeds_["b"]->fail(std::make_exception_ptr(Error(ErrorCode::io, "gone, too")));
  EXPECT_ERROR(io, take());
  set_away({"b"});
  open();
  feeds_["a"]->close();
  EXPECT_ERROR(io, take());  // not all has been recorded
}

TEST_F(SeveralTest, ErrorsThatDoNotPassAreThrown) {
  open();
  feeds_["b"]->fail(std::make_exception_ptr(Error(ErrorCode::invalid, "not a message")));
  EXPECT_ERROR(invalid, take());
  set_away({"a", "b"});
  EXPECT_ERROR(io, open());
  EXPECT_ERROR(invalid, listen({"test://a", "unknown://b"}, {}, {}, session_));
  EXPECT_ERROR(invalid, listen({}, {}, {}, session_));
}

TEST_F(SeveralTest, EachHasAPartOfTheBufferAndCountsWhatItDrops) {
  open({2000, OnFull::drop_newest});
  auto of_a = feeds_["a"]->add(channel("/a"));
  auto of_b = feeds_["b"]->add(channel("/b"));
  std::string text(600, 'x');
  for (int i = 0; i < 3; ++i) push("b", of_b, text);
  push("a", of_a, text);
  feeds_["a"]->count_lost(*of_a, 7);
  EXPECT_EQ(source_->held_bytes(), 2 * (text.size() + sizeof(Message)));
  EXPECT_THAT(take(), SizeIs(2));
  EXPECT_EQ(source_->held_bytes(), 0U);
  std::map<std::string, std::uint64_t> dropped;
  for (const ChannelPtr& each : *source_->channels()) {
    dropped[each->topic] = source_->dropped()[each->slot] + source_->lost()[each->slot];
  }
  EXPECT_EQ(dropped, (std::map<std::string, std::uint64_t>{{"/a", 7}, {"/b", 2}}));
}

TEST_F(SeveralTest, ACompanionGoesAlongAndIsNotWaitedFor) {
  auto system = std::make_unique<Feed>(1 << 20, OnFull::block, clock_);
  auto companion = std::make_unique<Feed>(1 << 20, OnFull::block, clock_);
  feeds_ = {{"a", system.get()}, {"b", companion.get()}};
  auto joined = join(std::move(system), std::move(companion), clock_);
  push("a", feeds_["a"]->add(channel("/a")), "1");
  auto of_b = feeds_["b"]->add(channel("/b"));
  push("b", of_b, "2");
  EXPECT_THAT(take(*joined), UnorderedElementsAre("/a 1", "/b 2"));
  push("b", of_b, "3");
  feeds_["a"]->close();
  EXPECT_THAT(take(*joined), ElementsAre("/b 3"));
  EXPECT_TRUE(has_ended_);
}

TEST_F(SeveralTest, TheEndOfACompanionIsNotTheEnd) {
  auto system = std::make_unique<Feed>(1 << 20, OnFull::block, clock_);
  auto companion = std::make_unique<Feed>(1 << 20, OnFull::block, clock_);
  feeds_ = {{"a", system.get()}};
  companion->close();
  auto joined = join(std::move(system), std::move(companion), clock_);
  push("a", feeds_["a"]->add(channel("/a")), "1");
  EXPECT_THAT(take(*joined), ElementsAre("/a 1"));
  EXPECT_FALSE(has_ended_);
}

}  // namespace
}  // namespace kitbag
