#include "tests/support/manual_clock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

namespace kitbag {
namespace {

using namespace std::chrono_literals;

class ManualClockTest : public testing::Test {
 protected:
  // Waits on a thread of its own.
  std::future<bool> waiting(SteadyTime until, std::stop_token stop = {}) {
    return std::async(std::launch::async, [this, until, stop] {
      std::unique_lock lock(mutex_);
      return clock_.wait(lock, changed_, {stop, until}, [this] { return flag_; });
    });
  }

  ManualClock clock_{from_ns(1'700'000'000'000'000'000)};
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool flag_ = false;
};

TEST_F(ManualClockTest, StandsStillUntilMoved) {
  SteadyTime steady = clock_.steady();
  clock_.advance(90min);
  EXPECT_EQ(clock_.wall(), from_ns(1'700'005'400'000'000'000));
  EXPECT_EQ(clock_.steady(), steady + 90min);
  clock_.set(from_ns(5), steady);
  EXPECT_EQ(clock_.wall(), from_ns(5));
  EXPECT_EQ(clock_.steady(), steady);
}

TEST_F(ManualClockTest, WakesWhoseTimeHasComeAndNobodyElse) {
  auto soon = waiting(clock_.steady() + 1s);
  auto later = waiting(clock_.steady() + 1h);
  clock_.await_waiters(2);
  clock_.advance(1s);
  EXPECT_FALSE(soon.get());
  EXPECT_EQ(later.wait_for(0s), std::future_status::timeout);
  clock_.advance(1h);
  EXPECT_FALSE(later.get());
}

TEST_F(ManualClockTest, ADeadlineThatHasComeDoesNotWait) {
  EXPECT_FALSE(waiting(clock_.steady()).get());
}

TEST_F(ManualClockTest, WakesWhenTheConditionComes) {
  auto answer = waiting(kNever);
  clock_.await_waiters(1);
  {
    std::lock_guard lock(mutex_);
    flag_ = true;
  }
  changed_.notify_all();
  EXPECT_TRUE(answer.get());
}

TEST_F(ManualClockTest, WakesWhenStopped) {
  std::stop_source stop;
  auto answer = waiting(kNever, stop.get_token());
  clock_.await_waiters(1);
  stop.request_stop();
  EXPECT_FALSE(answer.get());
}

TEST_F(ManualClockTest, GoesFromDeadlineToDeadline) {
  SteadyTime begin = clock_.steady();
  EXPECT_FALSE(clock_.advance_to_deadline());
  auto first = waiting(begin + 1h);
  auto second = waiting(begin + 2h);
  auto third = waiting(kNever);
  clock_.await_waiters(3);
  EXPECT_TRUE(clock_.advance_to_deadline());
  EXPECT_FALSE(first.get());
  EXPECT_EQ(clock_.steady(), begin + 1h);
  EXPECT_TRUE(clock_.advance_to_deadline());
  EXPECT_FALSE(second.get());
  EXPECT_EQ(clock_.steady(), begin + 2h);
  EXPECT_FALSE(clock_.advance_to_deadline());
  {
    std::lock_guard lock(mutex_);
    flag_ = true;
  }
  changed_.notify_all();
  EXPECT_TRUE(third.get());
}

// Thousands of simulated hours on several threads: one lost wake-up, and this does not end.
TEST_F(ManualClockTest, LosesNoWakeUp) {
  constexpr int kThreads = 3;
  constexpr int kRounds = 3000;
  std::atomic<int> left = kThreads;
  auto sleeper = [&] {
    std::mutex mutex;
    std::condition_variable_any changed;
    for (int i = 0; i < kRounds; ++i) {
      std::unique_lock lock(mutex);
      clock_.wait(lock, changed, {{}, clock_.steady() + 1h}, [] { return false; });
    }
    --left;
  };
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(sleeper);
  while (left > 0) {
    clock_.advance(20min);
    std::this_thread::yield();
  }
}

}  // namespace
}  // namespace kitbag
