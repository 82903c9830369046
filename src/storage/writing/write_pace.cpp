#include "storage/writing/write_pace.h"

#include <algorithm>

// No clock is read when a message is written; that would cost more than the message. note() only
// sets two flags. The time begins to run at the next tick(), so due() asks for a tick at once when
// something was noted. The limits are therefore exceeded by the time until that tick, which is
// short.

namespace kitbag {

namespace {

/// Whose time is counted from the next tick on.
constexpr SteadyTime kAtOnce = SteadyTime::min();

/// True once `at` has come; counts from `now` where nothing was counted yet.
bool has_come(std::optional<SteadyTime>& at, Duration duration, SteadyTime now) {
  if (!at) at = now + duration;
  if (now < *at) return false;
  at.reset();
  return true;
}

}  // namespace

SteadyTime WritePace::due() const {
  SteadyTime due = kNever;
  if (has_duration() && is_held_) due = std::min(due, flush_at_.value_or(kAtOnce));
  if (has_interval() && is_unsynced_) due = std::min(due, sync_at_.value_or(kAtOnce));
  return due;
}

WritePace::Work WritePace::tick(SteadyTime now) {
  Work work;
  if (has_interval() && is_unsynced_) work.sync = has_come(sync_at_, sync_.interval, now);
  if (has_duration() && is_held_) work.flush = has_come(flush_at_, duration_, now);
  if (work.sync) is_unsynced_ = is_held_ = false;
  if (work.flush) is_held_ = false;
  if (!is_held_) flush_at_.reset();
  return work;
}

}  // namespace kitbag
