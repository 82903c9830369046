#include "tests/support/manual_clock.h"

#include <algorithm>

// A waiter tests the time and then sleeps, under its own lock; a notification between the two would
// be lost. So set() notifies with the waiter's lock held. It cannot hold the clock's own lock at
// that moment, which waiters take inside theirs; therefore it pins a waiter first, and a pinned one
// waits, with its lock released, before it leaves.

namespace kitbag {

// Enters a waiter for as long as it lives; `lock` is held on both ends.
class ManualClock::Waiting {
 public:
  Waiting(ManualClock& clock, std::unique_lock<std::mutex>& lock,
          std::condition_variable_any& changed, SteadyTime until)
      : clock_(clock), lock_(lock), waiter_{lock.mutex(), &changed, until} {
    std::lock_guard own(clock_.mutex_);
    clock_.waiters_.push_back(&waiter_);
    clock_.moved_.notify_all();
  }

  ~Waiting() {
    lock_.unlock();
    {
      std::unique_lock own(clock_.mutex_);
      std::erase(clock_.waiters_, &waiter_);  // first: nobody pins it again
      clock_.moved_.wait(own, [this] { return waiter_.pins == 0; });
    }
    lock_.lock();
  }

 private:
  ManualClock& clock_;
  std::unique_lock<std::mutex>& lock_;
  Waiter waiter_;
};

Time ManualClock::wall() const {
  std::lock_guard own(mutex_);
  return now_.wall;
}

SteadyTime ManualClock::steady() const {
  std::lock_guard own(mutex_);
  return now_.steady;
}

bool ManualClock::wait(std::unique_lock<std::mutex>& lock, std::condition_variable_any& changed,
                       const Wait& wait, const std::function<bool()>& condition) {
  auto over = [&] { return wait.stop.stop_requested() || steady() >= wait.until; };
  // More than one round where somebody took away what the condition saw while the lock was free.
  while (true) {
    if (condition()) return true;
    if (over()) return false;
    Waiting waiting(*this, lock, changed, wait.until);
    changed.wait(lock, wait.stop, [&] { return condition() || over(); });
  }
}

void ManualClock::advance(Duration by) {
  Now now;
  {
    std::lock_guard own(mutex_);
    now = now_;
  }
  set(now.wall + by, now.steady + by);
}

void ManualClock::set(Time wall, SteadyTime steady) {
  std::vector<Waiter*> due;
  {
    std::lock_guard own(mutex_);
    now_ = {wall, steady};
    std::copy_if(waiters_.begin(), waiters_.end(), std::back_inserter(due),
                 [&](const Waiter* waiter) { return waiter->until <= steady; });
    for (Waiter* waiter : due) ++waiter->pins;
  }
  for (Waiter* waiter : due) {
    std::lock_guard others(*waiter->mutex);
    waiter->changed->notify_all();
  }
  std::lock_guard own(mutex_);
  for (Waiter* waiter : due) --waiter->pins;
  moved_.notify_all();
}

std::optional<SteadyTime> ManualClock::earliest() const {
  std::lock_guard own(mutex_);
  std::optional<SteadyTime> first;
  for (const Waiter* waiter : waiters_) {
    if (waiter->until != kNever) first = std::min(waiter->until, first.value_or(kNever));
  }
  return first;
}

bool ManualClock::advance_to_deadline() {
  auto deadline = earliest();
  SteadyTime now = steady();
  if (!deadline || *deadline <= now) return false;
  advance(*deadline - now);
  return true;
}

void ManualClock::await_waiters(std::size_t count) {
  std::unique_lock own(mutex_);
  moved_.wait(own, [&] {
    auto waits = [this](const Waiter* waiter) { return waiter->until > now_.steady; };
    return static_cast<std::size_t>(std::count_if(waiters_.begin(), waiters_.end(), waits)) >=
           count;
  });
}

}  // namespace kitbag
