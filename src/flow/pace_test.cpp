#include <gmock/gmock.h>

#include <memory>
#include <thread>

#include "kitbag/pipeline.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_source.h"
#include "tests/support/thrown_by.h"
#include "tests/support/units.h"

namespace kitbag {
namespace {

using test::kMs;
using test::memory_source;
using test::Samples;
using test::samples_of;
using test::thrown_by;
using testing::ElementsAre;
using namespace std::chrono_literals;

constexpr std::int64_t kStart = 1'700'000'000'000'000'000;

/// Messages this many milliseconds behind the first.
Samples at(std::initializer_list<std::int64_t> times_ms) {
  Samples samples;
  for (std::int64_t ms : times_ms) samples.push_back({"/a", kStart + ms * kMs, "x"});
  return samples;
}

class Pace : public testing::Test {
 protected:
  /// The messages that are due now; waits for nothing.
  static Samples due_now(Source& source) {
    Batch batch;
    EXPECT_TRUE(source.read(batch, {{}, SteadyTime::min()}));
    return samples_of(batch);
  }

  /// Milliseconds of the messages that are due now.
  static std::vector<std::int64_t> due(Source& source) {
    std::vector<std::int64_t> times;
    for (const auto& sample : due_now(source)) times.push_back((sample.time - kStart) / kMs);
    return times;
  }

  /// Nanoseconds from the first to the one that is waited for.
  static std::int64_t due_when_it_comes(Source& source) {
    Batch batch;
    EXPECT_TRUE(source.read(batch, {}));
    EXPECT_EQ(batch.messages().size(), 1U);
    return to_ns(batch.messages().front().log_time) - kStart;
  }

  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
};

TEST_F(Pace, GivesEachMessageWhenItsTimeHasCome) {
  auto source = pace(memory_source(at({0, 10, 10, 25})), clock_);
  EXPECT_THAT(due(*source), ElementsAre(0));
  EXPECT_THAT(due(*source), ElementsAre());
  clock_->advance(10ms - 1ns);
  EXPECT_THAT(due(*source), ElementsAre());
  clock_->advance(1ns);
  EXPECT_THAT(due(*source), ElementsAre(10, 10));
  clock_->advance(15ms);
  EXPECT_THAT(due(*source), ElementsAre(25));
  Batch batch;
  EXPECT_FALSE(source->read(batch, {}));
}

TEST_F(Pace, WaitsForTheNext) {
  auto source = pace(memory_source(at({0, 10})), clock_);
  due(*source);
  std::thread reader([&] { EXPECT_EQ(due_when_it_comes(*source), 10 * kMs); });
  clock_->await_waiters(1);
  clock_->advance(10ms);
  reader.join();
}

TEST_F(Pace, TheRateMakesItFasterOrSlower) {
  auto twice = pace(memory_source(at({0, 10})), clock_, 2);
  auto half = pace(memory_source(at({0, 10})), clock_, 0.5);
  due(*twice);
  due(*half);
  clock_->advance(5ms);
  EXPECT_THAT(due(*twice), ElementsAre(10));
  clock_->advance(14ms);
  EXPECT_THAT(due(*half), ElementsAre());
  clock_->advance(1ms);
  EXPECT_THAT(due(*half), ElementsAre(10));
}

TEST_F(Pace, WhatIsLateDoesNotMakeTheRestLater) {
  auto source = pace(memory_source(at({0, 10, 20, 30}), {.batch_messages = 1}), clock_);
  due(*source);
  clock_->advance(20ms);
  EXPECT_THAT(due(*source), ElementsAre(10));
  EXPECT_THAT(due(*source), ElementsAre(20));
  clock_->advance(10ms);
  EXPECT_THAT(due(*source), ElementsAre(30));
}

TEST_F(Pace, ABagThatJumpsBackGoesOnAtOnce) {
  auto source = pace(memory_source(at({100, 50, 110})), clock_);
  EXPECT_THAT(due(*source), ElementsAre(100, 50));
  clock_->advance(10ms);
  EXPECT_THAT(due(*source), ElementsAre(110));
}

TEST_F(Pace, TimesFartherApartThanADurationDoNoHarm) {
  Samples far = {{"/a", INT64_MAX, "x"}, {"/a", INT64_MIN, "x"}, {"/a", 0, "x"}};
  auto back = pace(memory_source(far), clock_, 1e-9);
  EXPECT_EQ(due_now(*back).size(), 3U);
  auto ahead = pace(memory_source({{"/a", INT64_MIN, "x"}, {"/a", INT64_MAX, "x"}}), clock_, 1e-9);
  EXPECT_EQ(due_now(*ahead).size(), 1U);
  EXPECT_EQ(due_now(*ahead).size(), 0U);
}

TEST_F(Pace, AStopEndsTheWaiting) {
  auto source = pace(memory_source(at({0, 3'600'000})), clock_);
  due(*source);
  std::stop_source stop;
  std::thread reader([&] {
    Batch batch;
    EXPECT_TRUE(source->read(batch, {stop.get_token(), kNever}));
    EXPECT_TRUE(batch.empty());
  });
  clock_->await_waiters(1);
  stop.request_stop();
  reader.join();
}

TEST_F(Pace, ThereIsNoRateOfNothing) {
  EXPECT_EQ(thrown_by([&] { pace(memory_source({}), clock_, 0); }).code(), ErrorCode::invalid);
  EXPECT_EQ(thrown_by([&] { pace(memory_source({}), clock_, -1); }).code(), ErrorCode::invalid);
}

}  // namespace
}  // namespace kitbag
