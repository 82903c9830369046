#include <gmock/gmock.h>

#include <vector>

#include "kitbag/pipeline.h"
#include "tests/support/manual_clock.h"

namespace kitbag {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

class ForwardClock : public ::testing::Test {
 protected:
  /// The wall clock jumps, while this much time passes.
  void jump(Duration wall_by, Duration passed) {
    system_->set(system_->wall() + wall_by, system_->steady() + passed);
  }

  std::shared_ptr<ManualClock> system_ = std::make_shared<ManualClock>(Time(1000s), SteadyTime(1s));
  std::vector<Duration> reported_;
  ClockPtr clock_ = forward_clock(system_, [this](Duration back) { reported_.push_back(back); });
};

TEST_F(ForwardClock, GoesAsTheClockGoes) {
  EXPECT_EQ(clock_->wall(), Time(1000s));
  system_->advance(3s);
  EXPECT_EQ(clock_->wall(), Time(1003s));
  jump(1h, 1s);
  EXPECT_EQ(clock_->wall(), Time(1003s) + 1h);
  EXPECT_THAT(reported_, IsEmpty());
}

TEST_F(ForwardClock, RunsOnWhereTheClockJumpsBack) {
  jump(-10s, 2s);
  EXPECT_EQ(clock_->wall(), Time(1002s));
  system_->advance(5s);
  EXPECT_EQ(clock_->wall(), Time(1007s));
  EXPECT_THAT(reported_, ElementsAre(12s));
  jump(-1s, 0s);
  EXPECT_EQ(clock_->wall(), Time(1007s));
  EXPECT_THAT(reported_, ElementsAre(12s, 1s));
}

TEST_F(ForwardClock, FollowsAgainWhenTheClockHasCaughtUp) {
  jump(-10s, 0s);
  clock_->wall();
  jump(30s, 1s);
  EXPECT_EQ(clock_->wall(), Time(1020s));
  jump(-5s, 0s);
  EXPECT_EQ(clock_->wall(), Time(1020s));
  EXPECT_THAT(reported_, ElementsAre(10s, 5s));
}

TEST_F(ForwardClock, ASmallStepBackWaitsForTheClock) {
  clock_->wall();
  jump(-20ms, 10ms);
  EXPECT_EQ(clock_->wall(), Time(1000s));
  jump(50ms, 50ms);
  EXPECT_EQ(clock_->wall(), Time(1000s) + 30ms);
  EXPECT_THAT(reported_, IsEmpty());
}

/// Its readers lose their core in the middle of it, for a while, `times` times.
class Preempting final : public Clock {
 public:
  Time wall() const override {
    if (times > 0) {
      --times;
      now_ += 150ms;
    }
    return Time(1000s) + now_;
  }
  SteadyTime steady() const override { return SteadyTime(1s) + now_; }
  bool wait(std::unique_lock<std::mutex>&, std::condition_variable_any&, const Wait&,
            const std::function<bool()>&) override {
    return false;
  }
  void pass(Duration by) { now_ += by; }

  mutable int times = 0;

 private:
  mutable Duration now_{};
};

TEST(PreemptedForwardClock, HasSeenNoJump) {
  auto system = std::make_shared<Preempting>();
  system->times = 1;
  std::vector<Duration> reported;
  auto clock = forward_clock(system, [&](Duration back) { reported.push_back(back); });
  for (int times : {0, 1, 0, 3, 0, 0}) {
    system->times = times;
    system->pass(1s);
    Time given = clock->wall();
    EXPECT_EQ(given, system->wall());
  }
  EXPECT_THAT(reported, IsEmpty());
}

}  // namespace
}  // namespace kitbag
