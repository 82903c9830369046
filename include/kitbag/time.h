#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>

#include "kitbag/export.h"

namespace kitbag {

/// Nanoseconds since 1970-01-01 UTC, as bags store them.
using Time = std::chrono::sys_time<std::chrono::nanoseconds>;
using Duration = std::chrono::nanoseconds;  ///< between two times; may be negative

/// A point in time on the monotonic clock, for deadlines and intervals. Never stored.
using SteadyTime = std::chrono::steady_clock::time_point;
/// A deadline that never comes.
inline constexpr SteadyTime kNever = SteadyTime::max();

/// Returns the Time that is `ns` nanoseconds after 1970.
constexpr Time from_ns(std::int64_t ns) {
  return Time(Duration(ns));
}
/// Returns `time` as nanoseconds since 1970.
constexpr std::int64_t to_ns(Time time) {
  return time.time_since_epoch().count();
}

/// Returns `to - from`, limited to what a Duration can represent.
constexpr Duration saturating_difference(Time from, Time to) {
  std::int64_t ns = 0;
  if (!__builtin_sub_overflow(to_ns(to), to_ns(from), &ns)) return Duration(ns);
  return to < from ? Duration::min() : Duration::max();
}
/// Returns `time + by`, limited to what Time can represent.
constexpr Time saturating_add(Time time, Duration by) {
  std::int64_t ns = 0;
  if (!__builtin_add_overflow(to_ns(time), by.count(), &ns)) return from_ns(ns);
  return by < Duration::zero() ? Time::min() : Time::max();
}

/// Returns whether begin <= time < end. If `end` is Time::max(), there is no upper limit.
constexpr bool is_within(Time time, Time begin, Time end) {
  return time >= begin && (time < end || end == Time::max());
}

/// How long a blocking call may wait: until `stop` is requested or `until` has come.
struct Wait {
  std::stop_token stop;       ///< ends the wait when it is requested
  SteadyTime until = kNever;  ///< ends the wait when it has come
};

/// The wall clock, the monotonic clock and the only way to sleep, so that a test can run hours in
/// seconds. All members can be called from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  /// Returns the current wall-clock time, UTC.
  virtual Time wall() const = 0;
  /// Returns the current time on the monotonic clock.
  virtual SteadyTime steady() const = 0;

  /// Waits on `changed` until `condition` holds, `wait.stop` is requested or `wait.until` has come.
  /// `lock` is held on entry, while `condition` runs, and on return. Returns whether `condition`
  /// holds.
  virtual bool wait(std::unique_lock<std::mutex>& lock, std::condition_variable_any& changed,
                    const Wait& wait, const std::function<bool()>& condition) = 0;

  /// Waits until `wait.stop` is requested or `wait.until` has come.
  KITBAG_API void sleep(const Wait& wait);
};

using ClockPtr = std::shared_ptr<Clock>;  ///< shared by all that a session makes

/// Returns the system's clock.
KITBAG_API ClockPtr system_clock();

}  // namespace kitbag
