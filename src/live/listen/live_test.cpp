#include "kitbag/live.h"

#include <gmock/gmock.h>

#include <atomic>
#include <memory>
#include <numeric>
#include <thread>

#include "kitbag/session.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_source.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::Samples;
using test::samples_of;
using test::thrown_by;
using testing::ElementsAre;
using namespace std::chrono_literals;

constexpr const char* kUri = "demo://?seconds=2&seed=7";

class Live : public testing::Test {
 protected:
  Samples all_of(const Selection& select) const {
    Query query;
    query.select = select;
    return read_all(*session_.open(kUri)->read(query));
  }
  static Samples read_all(Source& source) {
    Samples samples;
    for (Batch batch; source.read(batch, {}); batch.clear()) {
      for (auto& sample : samples_of(batch)) samples.push_back(std::move(sample));
    }
    return samples;
  }

  Session session_;
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  Selection odometry_ = [] {
    Selection select;
    select.topics = {"/odom"};
    return select;
  }();
  FeedOptions small_{1 << 20, OnFull::block};
};

TEST_F(Live, GivesWhatHappensAsItHappens) {
  auto source = session_.with_clock(clock_).listen(kUri, {odometry_, {}, {}}, small_);
  Samples expected = all_of(odometry_);
  ASSERT_GT(expected.size(), 20U);
  Samples found;
  std::atomic<bool> is_done = false;
  std::thread reader([&] {
    found = read_all(*source);
    is_done = true;
  });
  // The player waits for the next message, the reader for it or for the time to look again.
  while (!is_done) {
    clock_->advance_to_deadline();
    std::this_thread::yield();
  }
  reader.join();
  EXPECT_EQ(found, expected);
}

TEST_F(Live, AStopEndsItWithWhatHasCome) {
  auto clock = system_clock();
  auto source = session_.with_clock(clock).listen(kUri, {}, small_);
  source->stop();
  Samples found = read_all(*source);
  Samples expected = all_of({});
  ASSERT_LT(found.size(), expected.size());
  expected.resize(found.size());
  EXPECT_EQ(found, expected);
}

TEST_F(Live, DeclaresItsChannelsAtOnce) {
  auto source = session_.with_clock(clock_).listen(kUri, {odometry_, {}, {}}, small_);
  ASSERT_EQ(source->channels()->size(), 1U);
  EXPECT_EQ(source->channels()->front()->topic, "/odom");
}

TEST_F(Live, CountsWhatItDrops) {
  auto clock = system_clock();
  auto source =
      session_.with_clock(clock).listen("demo://?seconds=0.5", {}, {10'000, OnFull::drop_newest});
  auto dropped = [&] {
    auto counts = source->dropped();
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  };
  while (dropped() == 0) std::this_thread::yield();
  Samples found = read_all(*source);
  Query query;
  auto all = session_.open("demo://?seconds=0.5")->read(query);
  EXPECT_EQ(found.size() + dropped(), read_all(*all).size());
}

TEST_F(Live, ListsAllTopicsOfTheDemo) {
  auto source = session_.with_clock(clock_).listen(kUri, {odometry_, {}, {}}, small_);
  auto topics = source->topics();
  ASSERT_TRUE(topics);
  EXPECT_EQ(topics->size(), 12U);
  EXPECT_EQ(topics->front().topic, "/battery");
  EXPECT_EQ(topics->front().type, "sensor_msgs/BatteryState");
  ASSERT_EQ(topics->front().publishers.size(), 1U);
  EXPECT_EQ(topics->front().publishers.front().node, "/demo");
}

TEST_F(Live, WhatIsNoSystemIsRefused) {
  for (const char* uri : {"a.bag", "/tmp", "gopher://robot"}) {
    EXPECT_EQ(thrown_by([&] { session_.with_clock(clock_).listen(uri); }).code(),
              ErrorCode::invalid);
  }
}

}  // namespace
}  // namespace kitbag
