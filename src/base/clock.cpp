#include "kitbag/time.h"

namespace kitbag {
namespace {

class SystemClock final : public Clock {
 public:
  Time wall() const override {
    return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  }

  SteadyTime steady() const override { return std::chrono::steady_clock::now(); }

  bool wait(std::unique_lock<std::mutex>& lock, std::condition_variable_any& changed,
            const Wait& wait, const std::function<bool()>& condition) override {
    // A deadline of kNever would overflow where the library converts it to a timespec.
    if (wait.until == kNever) return changed.wait(lock, wait.stop, condition);
    return changed.wait_until(lock, wait.stop, wait.until, condition);
  }
};

}  // namespace

void Clock::sleep(const Wait& wait) {
  // It waits for what never happens, so that a stop ends it, and a test's clock too.
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  this->wait(lock, never, wait, [] { return false; });
}

ClockPtr system_clock() {
  return std::make_shared<SystemClock>();
}

}  // namespace kitbag
