#include "kitbag/statistics.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <random>

#include "kitbag/pipeline.h"
#include "tests/support/memory_source.h"
#include "tests/support/thrown_by.h"
#include "tests/support/units.h"

namespace kitbag {
namespace {

using test::kMs;
using namespace std::chrono_literals;
using test::Samples;

std::vector<TopicStatistics> of(Samples samples, StatisticsOptions options = {}) {
  auto source = test::memory_source(std::move(samples));
  return statistics(*source, options, Session());
}

/// Within a hundredth.
bool is_about(Duration found, Duration expected) {
  return std::chrono::abs(found - expected) <= expected / 100;
}

TEST(Statistics, ByTopicAndType) {
  auto all =
      of({{"/b", 10, "12"}, {"/a", 20, "123"}, {"/b", 30, "1"}, {"/a", 40, "", "test/Other"}});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].type, "test/Other");
  EXPECT_EQ(all[1].topic, "/a");
  EXPECT_EQ(all[2].messages, 2U);
  EXPECT_EQ(all[2].bytes, 3U);
  EXPECT_EQ(all[2].start, from_ns(10));
  EXPECT_EQ(all[2].duration(), 20ns);
  EXPECT_FALSE(all[0].periods);
  EXPECT_FALSE(all[0].latency);
}

TEST(Statistics, PeriodsAndGaps) {
  Samples samples;
  for (std::int64_t ms : {0, 10, 20, 130, 140, 150}) samples.push_back({"/a", ms * kMs, "x"});
  auto topic = of(samples, {.gap = 10ms}).at(0);
  ASSERT_TRUE(topic.periods);
  EXPECT_EQ(topic.periods->count, 5U);
  EXPECT_EQ(topic.periods->least, 10ms);
  EXPECT_EQ(topic.periods->mean, 30ms);
  EXPECT_EQ(topic.periods->most, 110ms);
  EXPECT_EQ(topic.periods->deviation, 40ms);
  EXPECT_TRUE(is_about(topic.periods->median, 10ms));
  EXPECT_TRUE(is_about(topic.periods->percentile_99, 110ms));
  EXPECT_EQ(topic.longest_gap_start, from_ns(20 * kMs));
  EXPECT_EQ(topic.gaps, 1U);  // 10 ms are not longer than 10 ms
  EXPECT_EQ(of(samples).at(0).gaps, 0U);
}

TEST(Statistics, EqualPeriodsAreExact) {
  Samples samples;
  for (int i = 0; i < 1000; ++i)
    samples.push_back({"/a", 1'700'000'000'000'000'000 + i * kMs, "x"});
  DurationStatistics periods = *of(samples).at(0).periods;
  for (Duration each : {periods.least, periods.mean, periods.median, periods.percentile_99}) {
    EXPECT_EQ(each, 1ms);
  }
  EXPECT_EQ(periods.deviation, 0ns);
}

TEST(Statistics, PercentilesAreWithinAHundredth) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> durations(16, 2);
  std::vector<Duration> periods;
  Samples samples{{"/a", 0, "x"}};
  for (int i = 0; i < 5000; ++i) {
    periods.emplace_back(static_cast<std::int64_t>(durations(random)));
    samples.push_back({"/a", samples.back().time + periods.back().count(), "x"});
  }
  std::sort(periods.begin(), periods.end());
  DurationStatistics found = *of(samples).at(0).periods;
  EXPECT_TRUE(is_about(found.median, periods[2499]));
  EXPECT_TRUE(is_about(found.percentile_99, periods[4949]));
}

/// Log times in milliseconds, and stamps.
std::vector<TopicStatistics> with_stamps(std::vector<std::pair<std::int64_t, std::int64_t>> times,
                                         StatisticsOptions options = {}, std::size_t cut_off = 0) {
  auto schema = std::make_shared<const Schema>(
      Schema{"test/Type", "ros1msg",
             "Header header\n"
             "================================================================================\n"
             "MSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n"});
  class Stamped final : public Source {
   public:
    ChannelsPtr channels() const override { return batch.channels; }
    bool read(Batch& into, const Wait&) override {
      into = std::move(batch);
      return !std::exchange(is_read, true);
    }
    Batch batch;
    bool is_read = false;
  };
  auto channel = std::make_shared<const Channel>(Channel{"/a", "ros1", schema});
  Stamped source;
  source.batch.channels = std::make_shared<const Channels>(Channels{channel});
  std::vector<std::array<std::uint32_t, 4>> payloads;
  payloads.reserve(times.size());
  for (auto [log_ms, stamp_ms] : times) {
    auto seconds = static_cast<std::uint32_t>(stamp_ms / 1000);
    payloads.push_back({0, seconds, static_cast<std::uint32_t>(stamp_ms % 1000 * kMs), 0});
    ByteView data = as_bytes(std::string_view(reinterpret_cast<const char*>(&payloads.back()), 16));
    Time time = from_ns(log_ms * kMs);
    source.batch.add({channel.get(), 0, 0, time, time, data.first(16 - cut_off)});
  }
  return statistics(source, options, Session());
}

TEST(Statistics, LatencyFromTheStampToTheLogTime) {
  auto topic = with_stamps({{1000, 990}, {2000, 1980}, {3000, 0}, {4000, 4010}}).at(0);
  ASSERT_TRUE(topic.latency);  // a stamp of zero is none
  EXPECT_EQ(topic.latency->count, 3U);
  EXPECT_EQ(topic.latency->least, -10ms);
  EXPECT_EQ(topic.latency->most, 20ms);
  EXPECT_EQ(topic.latency->mean, 6666667ns);
  EXPECT_TRUE(is_about(topic.latency->median, 10ms));
}

TEST(Statistics, WhatCannotBeDecodedIsReportedOnce) {
  std::vector<std::string> problems;
  StatisticsOptions options;
  options.on_problem = [&](const Error& error) { problems.push_back(error.what()); };
  auto topic = with_stamps({{1000, 990}, {2000, 1990}}, options, 8).at(0);
  EXPECT_FALSE(topic.latency);
  EXPECT_EQ(topic.messages, 2U);
  EXPECT_THAT(problems, ::testing::ElementsAre(::testing::HasSubstr("/a")));
}

TEST(Statistics, StateIsLeftOut) {
  auto source = test::memory_source({{"/a", 1, "x"}, {"/a", 2, "x"}});
  class State final : public Stage {
    void apply(Batch& batch) override { batch.messages()[0].flags = kState; }
  };
  auto flagged = through(std::move(source), std::make_unique<State>());
  EXPECT_EQ(statistics(*flagged, {}, Session()).at(0).messages, 1U);
}

TEST(Statistics, MistakesAndStops) {
  EXPECT_ERROR(invalid, of({}, {.gap = -1ns}));
  std::stop_source stop;
  stop.request_stop();
  auto source = test::memory_source({{"/a", 1, "12"}});
  EXPECT_ERROR(cancelled, statistics(*source, {}, Session(), {stop.get_token()}));
}

}  // namespace
}  // namespace kitbag
