#include <gtest/gtest.h>

#include <thread>

#include "kitbag/time.h"

namespace kitbag {
namespace {

using namespace std::chrono_literals;

class SystemClockTest : public testing::Test {
 protected:
  bool wait(const Wait& wait, const std::function<bool()>& condition) {
    std::unique_lock lock(mutex_);
    return clock_->wait(lock, changed_, wait, condition);
  }

  ClockPtr clock_ = system_clock();
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool flag_ = false;
};

TEST_F(SystemClockTest, TellsTheTimeOfTheMachine) {
  auto before = std::chrono::system_clock::now();
  Time wall = clock_->wall();
  EXPECT_LE(before, wall);
  EXPECT_LE(wall, std::chrono::system_clock::now());
  SteadyTime steady = clock_->steady();
  EXPECT_LE(steady, std::chrono::steady_clock::now());
}

TEST_F(SystemClockTest, DoesNotWaitForWhatHolds) {
  EXPECT_TRUE(wait({}, [] { return true; }));
  EXPECT_TRUE(wait({{}, SteadyTime::min()}, [] { return true; }));
}

TEST_F(SystemClockTest, EndsAtTheDeadline) {
  SteadyTime until = clock_->steady() + 2ms;
  EXPECT_FALSE(wait({{}, until}, [] { return false; }));
  EXPECT_GE(clock_->steady(), until);
}

TEST_F(SystemClockTest, ADeadlineThatHasPassedEndsAtOnce) {
  EXPECT_FALSE(wait({{}, SteadyTime()}, [] { return false; }));
}

TEST_F(SystemClockTest, WakesWhenTheConditionComes) {
  std::jthread setter([this] {
    std::lock_guard lock(mutex_);
    flag_ = true;
    changed_.notify_one();
  });
  EXPECT_TRUE(wait({}, [this] { return flag_; }));
}

TEST_F(SystemClockTest, WakesWhenStopped) {
  std::stop_source stop;
  std::jthread stopper([&stop] { stop.request_stop(); });
  EXPECT_FALSE(wait({stop.get_token()}, [] { return false; }));
  EXPECT_FALSE(wait({stop.get_token(), clock_->steady() + 1h}, [] { return false; }));
}

TEST_F(SystemClockTest, SleepsUntilTheDeadlineOrAStop) {
  SteadyTime until = clock_->steady() + 2ms;
  clock_->sleep({{}, until});
  EXPECT_GE(clock_->steady(), until);
  std::stop_source stop;
  std::jthread stopper([&stop] { stop.request_stop(); });
  clock_->sleep({stop.get_token()});
  EXPECT_TRUE(stop.stop_requested());
}

}  // namespace
}  // namespace kitbag
