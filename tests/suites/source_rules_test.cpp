// Every Source keeps the rules that stream.h gives: tables grow, batches own what they show, a stop
// request is not the end, and the end stays the end.

#include "tests/support/source_rules.h"

#include "kitbag/kitbag.h"
#include "tests/support/bags.h"

namespace kitbag::testing {
namespace {

/// More than two batches.
std::vector<TestMessage> many_messages() {
  std::vector<TestMessage> messages;
  for (std::uint32_t i = 0; i < 700; ++i) {
    messages.push_back({i % 3, 1'000'000 + std::int64_t{i} * 10, "payload " + std::to_string(i)});
  }
  return messages;
}

class SourceRules : public ::testing::TestWithParam<FormatCase> {};

TEST_P(SourceRules, OfBags) {
  StoredBag stored = GetParam().store(GetParam().options(2000), many_messages());
  for (Order order : {Order::time, Order::reverse_time, Order::file}) {
    for (TimeField by : {TimeField::log_time, TimeField::publish_time}) {
      Query query{.order = order, .by = by, .nth = 7, .count = 600};
      test::expect_source_rules([&] { return stored.open()->read(query); });
    }
  }
  Query later{.begin = from_ns(1'003'000), .latched_before = true};
  test::expect_source_rules([&] { return stored.open()->read(later); });
}

TEST_P(SourceRules, OfBagsThatAreFollowed) {
  StoredBag stored = GetParam().store(GetParam().options(2000), many_messages());
  // A version that cannot say whether it is complete is followed for ever.
  Query all{.count = many_messages().size()};
  Session session;
  test::expect_source_rules([&] { return follow(stored.path(), all, {}, session); });
}

INSTANTIATE_TEST_SUITE_P(Formats, SourceRules, ::testing::ValuesIn(formats_and_directories()),
                         case_name);

/// What is put around other sources, what lies between threads, and what is live.
class SourceRulesOf : public ::testing::Test {
 protected:
  static constexpr const char* kDemo = "demo://?seconds=1&image=0&points=0";

  std::unique_ptr<Source> demo(const Query& query = {}) const {
    return session_.open(kDemo)->read(query);
  }
  std::unique_ptr<Source> staged(std::unique_ptr<Stage> stage) const {
    return through(demo(), std::move(stage));
  }

  Session session_;
};

TEST_F(SourceRulesOf, Transports) {
  test::expect_source_rules([&] { return demo(); });
  test::expect_source_rules([&] { return demo({.order = Order::reverse_time, .nth = 3}); });
  std::string uri = with_parameter(kDemo, "encoding", "cdr");
  test::expect_source_rules([&] { return session_.open(uri)->read(); });
}

TEST_F(SourceRulesOf, Stages) {
  test::expect_source_rules([&] { return staged(filter({.select = {.topics = {"/odom"}}})); });
  test::expect_source_rules([&] { return staged(rename({{"/odom", "/moved"}})); });
  test::expect_source_rules([&] { return staged(throttle({{"/odom", 5}})); });
  test::expect_source_rules([&] { return staged(transcode({.encoding = "json"}, session_)); });
}

TEST_F(SourceRulesOf, SourcesAroundSources) {
  test::expect_source_rules([&] { return slice(demo(), 20, 100); });
  test::expect_source_rules([&] { return slice(demo(), 0, 0); });
  test::expect_source_rules([&] { return read_ahead(demo(), 1 << 20, system_clock()); });
  test::expect_source_rules([&] { return pace(demo(), system_clock(), 1e6); });
  test::expect_source_rules([&] {
    return read({session_.open(kDemo), session_.open(kDemo)}, {.nth = 10, .count = 300});
  });
}

TEST_F(SourceRulesOf, MergesOfSourcesThatWait) {
  test::expect_source_rules([&] {
    std::vector<std::unique_ptr<Source>> sources;
    for (int i = 0; i < 2; ++i) {
      sources.push_back(read_ahead(demo(), 1 << 20, system_clock()));
    }
    return merge(std::move(sources), Order::time);
  });
}

TEST_F(SourceRulesOf, Queues) {
  test::expect_source_rules([&] {
    auto queue = std::make_unique<Queue>(1 << 20, OnFull::block, system_clock());
    run(*demo(), *queue, *system_clock());
    queue->close();
    return queue;
  });
}

TEST_F(SourceRulesOf, Feeds) {
  test::expect_source_rules([&] {
    auto feed = std::make_unique<Feed>(1 << 20, OnFull::block, system_clock());
    ChannelPtr channel = feed->add({.topic = "/a", .encoding = "ros1"});
    for (const Message& message : session_.open(kDemo)->messages()) {
      feed->push({channel.get(), 0, 0, message.log_time, message.log_time, message.data});
    }
    feed->close();
    return feed;
  });
}

TEST_F(SourceRulesOf, LiveSources) {
  test::expect_source_rules([&] {
    return session_.listen("demo://?seconds=0.1&image=0&points=0", {}, {.on_full = OnFull::block});
  });
}

/// A wait that a stop request ends is the case in which the end is easily mistaken.
TEST_F(SourceRulesOf, SourcesWithoutMessagesYet) {
  std::stop_source stop;
  stop.request_stop();
  Wait stopped{stop.get_token(), kNever};
  Queue queue(1 << 20, OnFull::block, system_clock());
  Feed feed(1 << 20, OnFull::block, system_clock());
  for (Source* source : {static_cast<Source*>(&queue), static_cast<Source*>(&feed)}) {
    Batch batch;
    EXPECT_TRUE(source->read(batch, stopped));
    EXPECT_TRUE(batch.empty());
  }
}

}  // namespace
}  // namespace kitbag::testing
