#include <algorithm>
#include <mutex>
#include <utility>

#include "kitbag/pipeline.h"

// Every reading is compared with the one before: the monotonic clock says how much time has passed,
// so the wall clock should say the last time plus that.
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
// A thread may lose its core between two readings. The two clocks would then seem to have parted by
// that time, and come back: a jump that never was. So a pair that looks like one is read again
// until both readings were made within a small step, which is far less than what counts as a jump.
//
// wall() is called from several threads. The lock keeps the last two readings a pair, and
// times in order across the threads.

namespace kitbag {
namespace {

/// Less than this is no jump that anybody wants to hear of: clocks are kept right in small steps.
constexpr Duration kSmallStep = std::chrono::milliseconds(100);
/// Within this, two readings are of one moment.
constexpr Duration kMoment = std::chrono::milliseconds(5);
/// After so many the closest pair has to do.
constexpr int kMostReadings = 100;

/// Both clocks, read together.
struct Moment {
  SteadyTime steady;
  Time wall;
};

Moment moment_of(const Clock& clock) {
  Moment closest{};
  Duration least = Duration::max();
  for (int i = 0; i < kMostReadings && least > kMoment; ++i) {
    Moment read{};
    read.steady = clock.steady();
    read.wall = clock.wall();
    Duration took = clock.steady() - read.steady;
    if (took < least) closest = read;
    least = std::min(least, took);
  }
  return closest;
}

class ForwardClock final : public Clock {
 public:
  ForwardClock(ClockPtr clock, std::function<void(Duration)> on_jump)
      : clock_(std::move(clock)), on_jump_(std::move(on_jump)), last_(moment_of(*clock_)) {}

  Time wall() const override {
    Duration back{};
    std::unique_lock lock(mutex_);
    Moment read{clock_->steady(), clock_->wall()};
    if (Duration behind = behind_at(read); behind >= kSmallStep || behind <= -kSmallStep) {
      read = moment_of(*clock_);
    }
    Duration behind = behind_at(read);
    bool runs_on = behind >= kSmallStep;
    Time now = runs_on ? read.wall + behind : std::max(last_.wall, read.wall);
    Duration reported = std::exchange(reported_, runs_on ? behind : Duration::zero());
    if (behind - reported >= kSmallStep) back = behind - reported;
    last_ = {read.steady, now};
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
  /// By how much the wall clock is behind the time that has passed.
  Duration behind_at(const Moment& read) const {
    return last_.wall + (read.steady - last_.steady) - read.wall;
  }

  ClockPtr clock_;
  std::function<void(Duration)> on_jump_;
  mutable std::mutex mutex_;
  mutable Moment last_;          ///< what was read, or given
  mutable Duration reported_{};  ///< how far back it was reported to be
};

}  // namespace

ClockPtr forward_clock(ClockPtr clock, std::function<void(Duration)> on_jump) {
  return std::make_shared<ForwardClock>(std::move(clock), std::move(on_jump));
}

}  // namespace kitbag
