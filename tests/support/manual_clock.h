#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <vector>

#include "kitbag/time.h"

namespace kitbag {

/// A clock that moves only when a test moves it, so that hours take no time. The members that move
/// it wake those who wait for a time that has come; they must not be called with the lock of a
/// waiter held.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Time wall = from_ns(0), SteadyTime steady = SteadyTime())
      : now_{wall, steady} {}

  Time wall() const override;
  SteadyTime steady() const override;
  bool wait(std::unique_lock<std::mutex>& lock, std::condition_variable_any& changed,
            const Wait& wait, const std::function<bool()>& condition) override;

  /// Moves both clocks on.
  void advance(Duration by);
  /// Sets both clocks: the wall clock alone jumps where `steady` is left as it is.
  void set(Time wall, SteadyTime steady);
  /// Moves both clocks on to the earliest deadline that a wait() is waiting for; false if there is
  /// none, or it has come.
  bool advance_to_deadline();
  /// Returns when `count` calls of wait() at least are waiting for a time to come, so that a test
  /// moves the time neither too early nor after a guess.
  void await_waiters(std::size_t count);

 private:
  struct Now {
    Time wall;
    SteadyTime steady;
  };
  struct Waiter {
    std::mutex* mutex;
    std::condition_variable_any* changed;
    SteadyTime until;
    int pins = 0;  ///< set() is about to wake it: it must not go
  };
  class Waiting;

  std::optional<SteadyTime> earliest() const;

  mutable std::mutex mutex_;
  std::condition_variable moved_;  ///< waiters came, or pins went
  Now now_;
  std::vector<Waiter*> waiters_;
};

}  // namespace kitbag
