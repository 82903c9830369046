#include <algorithm>
#include <mutex>
#include <utility>

#include "kitbag/pipeline.h"

// Every reading is compared with the one before: the monotonic clock says how much time has passed,
// so the wall clock should say last_wall_ plus that.
//
//   wall - expected       what wall() gives
//   > 0, set forward      the wall clock
//   -100 ms .. 0          the wall clock, or the last time if that is later: it stands still
//   < -100 ms, set back   expected: it goes on by the monotonic clock
//
// Time daemons make small steps all day; those are not reported. After a large one, the wall clock
// stays behind for good, so each later reading takes the last line; `reported_` prevents a report
// for each of them. When the wall clock is right again, or nearly, it is followed again.
//
// wall() is called from several threads. The lock keeps last_wall_ and last_steady_ a pair, and
// times in order across the threads.

namespace kitbag {
namespace {

/// Less than this is no jump that anybody wants to hear of: clocks are kept right in small steps.
constexpr Duration kSmallStep = std::chrono::milliseconds(100);

class ForwardClock final : public Clock {
 public:
  ForwardClock(ClockPtr clock, std::function<void(Duration)> on_jump)
      : clock_(std::move(clock)),
        on_jump_(std::move(on_jump)),
        last_wall_(clock_->wall()),
        last_steady_(clock_->steady()) {}

  Time wall() const override {
    Duration back{};
    std::unique_lock lock(mutex_);
    SteadyTime steady = clock_->steady();
    Time wall = clock_->wall();
    Time expected = last_wall_ + (steady - last_steady_);
    Duration behind = expected - wall;
    bool runs_on = behind >= kSmallStep;
    Time now = runs_on ? expected : std::max(last_wall_, wall);
    Duration reported = std::exchange(reported_, runs_on ? behind : Duration::zero());
    if (behind - reported >= kSmallStep) back = behind - reported;
    last_wall_ = now;
    last_steady_ = steady;
    lock.unlock();
    if (back != Duration::zero() && on_jump_) on_jump_(back);
    return now;
  }
  SteadyTime steady() const override { return clock_->steady(); }
  bool wait(std::unique_lock<std::mutex>& lock, std::condition_variable_any& changed,
            const Wait& wait, const std::function<bool()>& condition) override {
    return clock_->wait(lock, changed, wait, condition);
  }

 private:
  ClockPtr clock_;
  std::function<void(Duration)> on_jump_;
  mutable std::mutex mutex_;
  mutable Time last_wall_;
  mutable SteadyTime last_steady_;
  mutable Duration reported_{};  ///< how far back it was reported to be
};

}  // namespace

ClockPtr forward_clock(ClockPtr clock, std::function<void(Duration)> on_jump) {
  return std::make_shared<ForwardClock>(std::move(clock), std::move(on_jump));
}

}  // namespace kitbag
