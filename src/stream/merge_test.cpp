#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "kitbag/merge.h"
#include "tests/support/source_rules.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::collect;
using test::memory_source;
using test::MemoryOptions;
using test::Sample;
using test::Samples;
using testing::ElementsAre;

std::unique_ptr<Source> merged(std::vector<Samples> all, Order order = Order::time,
                               TimeField by = TimeField::log_time, MemoryOptions options = {}) {
  std::vector<std::unique_ptr<Source>> sources;
  for (Samples& samples : all) sources.push_back(memory_source(std::move(samples), options));
  return merge(std::move(sources), order, by);
}

/// Bursts and ties on three topics, with the source's number in the data.
Samples random_samples(unsigned seed, std::size_t count) {
  std::mt19937 random(seed);
  Samples samples;
  auto below = [&](int end) { return std::uniform_int_distribution(0, end - 1)(random); };
  std::int64_t time = below(20);
  for (std::size_t i = 0; i < count; ++i) {
    time += below(4) == 0 ? below(50) : below(2);
    samples.push_back({fmt::format("/{}", below(3)), time, fmt::format("{}:{}", seed, i)});
  }
  return samples;
}

Samples expected_in_time(const std::vector<Samples>& all) {
  Samples expected;
  for (const Samples& samples : all) {
    expected.insert(expected.end(), samples.begin(), samples.end());
  }
  std::stable_sort(expected.begin(), expected.end(),
                   [](const Sample& a, const Sample& b) { return a.time < b.time; });
  return expected;
}

TEST(Merge, InTimeWithTiesByPosition) {
  auto source = merged({{{"/a", 1, "a1"}, {"/a", 2, "a2"}, {"/a", 2, "a3"}, {"/a", 5, "a4"}},
                        {{"/b", 2, "b1"}, {"/b", 3, "b2"}},
                        {{"/c", 0, "c1"}, {"/c", 2, "c2"}, {"/c", 5, "c3"}}});
  std::string order;
  for (const Sample& sample : collect(*source)) order += sample.data + " ";
  EXPECT_EQ(order, "c1 a1 a2 a3 b1 c2 b2 a4 c3 ");
}

TEST(Merge, AgreesWithAStableSortWhateverTheBatches) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::vector<Samples> all;
    for (unsigned i = 0; i < 1 + seed % 7; ++i) {
      all.push_back(random_samples(seed * 10 + i, (seed * 37 + i * 101) % 600));
    }
    Samples expected = expected_in_time(all);
    for (std::size_t batch : {1U, 7U, 256U}) {
      auto source = merged(all, Order::time, TimeField::log_time, {.batch_messages = batch});
      EXPECT_EQ(collect(*source), expected) << seed << ", batches of " << batch;
    }
  }
}

TEST(Merge, ReverseTimeIsTheExactReverse) {
  std::vector<Samples> all = {random_samples(1, 400), random_samples(2, 300),
                              random_samples(3, 500)};
  Samples expected = expected_in_time(all);
  std::reverse(expected.begin(), expected.end());
  for (Samples& samples : all) std::reverse(samples.begin(), samples.end());
  EXPECT_EQ(collect(*merged(all, Order::reverse_time)), expected);
}

TEST(Merge, TakesTheWholeRangeOfTimes) {
  Samples low = {{"/a", INT64_MIN, "1"}, {"/a", INT64_MAX, "4"}};
  Samples high = {{"/b", INT64_MIN, "2"}, {"/b", 0, "3"}, {"/b", INT64_MAX, "5"}};
  EXPECT_THAT(collect(*merged({low, high})),
              ElementsAre(low[0], high[0], high[1], low[1], high[2]));
  std::reverse(low.begin(), low.end());
  std::reverse(high.begin(), high.end());
  EXPECT_THAT(collect(*merged({low, high}, Order::reverse_time)),
              ElementsAre(high[0], low[0], high[1], high[2], low[1]));
}

TEST(Merge, ByPublishTime) {
  Samples a = {{"/a", 10, "a1", "t", 1}, {"/a", 11, "a2", "t", 4}};
  Samples b = {{"/b", 1, "b1", "t", 2}, {"/b", 2, "b2", "t", 3}};
  EXPECT_THAT(collect(*merged({a, b}, Order::time, TimeField::publish_time)),
              ElementsAre(a[0], b[0], b[1], a[1]));
}

TEST(Merge, InFileOrderOneAfterTheOther) {
  Samples a = {{"/a", 9, "1"}, {"/a", 3, "2"}};
  Samples b = {{"/b", 1, "3"}};
  EXPECT_THAT(collect(*merged({a, {}, b}, Order::file)), ElementsAre(a[0], a[1], b[0]));
}

TEST(Merge, OneSourceIsThatSource) {
  auto only = memory_source({{"/a", 1, "x"}});
  Source* before = only.get();
  std::vector<std::unique_ptr<Source>> sources;
  sources.push_back(std::move(only));
  EXPECT_EQ(merge(std::move(sources), Order::time).get(), before);
}

TEST(Merge, NoSourceIsAnEmptyOne) {
  for (Order order : {Order::time, Order::reverse_time, Order::file}) {
    auto source = merged({}, order);
    EXPECT_THAT(*source->channels(), ElementsAre());
    EXPECT_THAT(collect(*source), ElementsAre());
  }
}

TEST(Merge, EqualChannelsBecomeOne) {
  for (Order order : {Order::time, Order::file}) {
    auto source = merged({{{"/a", 1, "x"}, {"/b", 2, "x"}},
                          {{"/b", 3, "y"}, {"/c", 4, "y"}},
                          {{"/a", 5, "z", "other/Type"}}},
                         order);
    EXPECT_THAT(test::topics_of(source->channels()), ElementsAre("/a", "/b", "/c", "/a"));
    EXPECT_EQ(collect(*source).size(), 5U);
    EXPECT_EQ(source->channels()->size(), 4U);
  }
}

TEST(Merge, ChannelsThatDifferInMetadataStayApart) {
  std::vector<std::unique_ptr<Source>> sources;
  sources.push_back(memory_source({{"/a", 1, "x"}}, {.metadata = {{"callerid", "/one"}}}));
  sources.push_back(memory_source({{"/a", 1, "y"}}, {.metadata = {{"callerid", "/two"}}}));
  EXPECT_EQ(merge(std::move(sources), Order::time)->channels()->size(), 2U);
}

class DropA final : public Stage {
 public:
  ChannelPtr map(const ChannelPtr& channel) override {
    return channel->topic == "/a" ? nullptr : channel;
  }
};

TEST(Merge, DroppedChannelsAreNotInTheTable) {
  std::vector<std::unique_ptr<Source>> sources;
  sources.push_back(
      through(memory_source({{"/a", 1, "x"}, {"/b", 2, "y"}}), std::make_unique<DropA>()));
  sources.push_back(memory_source({{"/c", 0, "z"}}));
  auto source = merge(std::move(sources), Order::time);
  EXPECT_THAT(test::topics_of(source->channels()), ElementsAre("/b", "/c"));
  EXPECT_THAT(collect(*source), ElementsAre(Sample{"/c", 0, "z"}, Sample{"/b", 2, "y"}));
}

TEST(Merge, TheTableIsReplacedOnlyWhenItGrows) {
  std::vector<std::unique_ptr<Source>> sources;
  sources.push_back(memory_source({{"/a", 1, ""}, {"/b", 2, ""}}));
  sources.push_back(memory_source({{"/b", 1, ""}, {"/a", 2, ""}}, {1, true}));
  auto source = merge(std::move(sources), Order::time);
  ChannelsPtr before = source->channels();
  EXPECT_EQ(collect(*source).size(), 4U);
  EXPECT_EQ(source->channels(), before);
}

TEST(Merge, ABatchUsedBeforeBringsNoStaleTable) {
  Samples late = {{"/a", 1, ""}, {"/c", 2, ""}};
  Samples many = {{"/p", 10, ""}, {"/q", 11, ""}, {"/r", 12, ""}};
  std::vector<std::unique_ptr<Source>> sources;
  sources.push_back(
      memory_source(late, {.batch_messages = 1, .declares_late = true, .empty_reads = 1}));
  sources.push_back(memory_source(many));
  auto source = merge(std::move(sources), Order::time);
  EXPECT_THAT(collect(*source), ElementsAre(late[0], late[1], many[0], many[1], many[2]));
}

TEST(Merge, KeepsTheOwnersOfAHeldBatchOnce) {
  Samples odd;
  Samples even;
  for (std::int64_t i = 0; i < 100; ++i) (i % 2 ? odd : even).push_back({"/a", i, "12345"});
  auto source = merged({odd, even});
  Batch batch;
  ASSERT_TRUE(source->read(batch, {}));
  EXPECT_GE(batch.messages().size(), 99U);
  EXPECT_EQ(batch.pinned(), 500U);
}

TEST(Merge, DisjointBatchesGoThroughAsTheyAre) {
  auto source = merged({{{"/a", 1, "x"}, {"/a", 2, "x"}}, {{"/a", 3, "yy"}, {"/a", 4, "yy"}}});
  Batch batch;
  ASSERT_TRUE(source->read(batch, {}));
  EXPECT_EQ(batch.messages().size(), 2U);
  EXPECT_EQ(batch.pinned(), 2U);  // nothing of the second source
}

TEST(Merge, NothingIsGivenBeforeEverySourceHasSpoken) {
  Samples a = {{"/a", 1, "x"}, {"/a", 4, "x"}};
  Samples b = {{"/b", 2, "y"}, {"/b", 3, "y"}};
  std::vector<std::unique_ptr<Source>> sources;
  sources.push_back(memory_source(a));
  sources.push_back(memory_source(b, {.batch_messages = 1, .empty_reads = 2}));
  auto source = merge(std::move(sources), Order::time);
  Batch batch;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(source->read(batch, {}));
    EXPECT_TRUE(batch.empty());
    EXPECT_EQ(batch.channels, source->channels());
  }
  EXPECT_THAT(collect(*source), ElementsAre(a[0], b[0], b[1], a[1]));
}

TEST(Merge, PassesTheWaitOn) {
  struct Asked final : Source {
    ChannelsPtr channels() const override { return std::make_shared<const Channels>(); }
    bool read(Batch&, const Wait& wait) override {
      until = wait.until;
      stop = wait.stop;
      return true;
    }
    SteadyTime until;
    std::stop_token stop;
  };
  for (Order order : {Order::time, Order::file}) {
    std::vector<std::unique_ptr<Source>> sources;
    sources.push_back(std::make_unique<Asked>());
    sources.push_back(std::make_unique<Asked>());
    auto* first = static_cast<Asked*>(sources.front().get());
    auto source = merge(std::move(sources), order);
    std::stop_source stop;
    Batch batch;
    EXPECT_TRUE(source->read(batch, {stop.get_token(), SteadyTime(std::chrono::seconds(7))}));
    EXPECT_EQ(first->until, SteadyTime(std::chrono::seconds(7)));
    EXPECT_EQ(first->stop, stop.get_token());
  }
}

TEST(Merge, AnErrorIsTheEnd) {
  for (Order order : {Order::time, Order::file}) {
    std::vector<std::unique_ptr<Source>> sources;
    sources.push_back(memory_source({{"/a", 1, ""}, {"/a", 2, ""}}, {.fails_at = 0}));
    sources.push_back(memory_source({{"/b", 1, ""}}));
    auto source = merge(std::move(sources), order);
    Batch batch;
    EXPECT_EQ(test::thrown_by([&] { source->read(batch, {}); }).code(), ErrorCode::corrupt);
    EXPECT_FALSE(source->read(batch, {}));
    EXPECT_TRUE(batch.empty());
  }
}

TEST(Merge, KeepsTheRulesOfSources) {
  std::vector<Samples> all = {random_samples(1, 700),
                              random_samples(2, 30),
                              {},
                              random_samples(3, 300),
                              {{"/big", 5, std::string(kBatchBytes, 'x')}}};
  for (Order order : {Order::time, Order::file}) {
    for (bool declares_late : {false, true}) {
      for (std::size_t batch : {5U, 256U}) {
        test::expect_source_rules([&] {
          return merged(all, order, TimeField::log_time, {batch, declares_late});
        });
      }
    }
  }
}

}  // namespace
}  // namespace kitbag
