#pragma once

#include "kitbag/time.h"

namespace kitbag {

/// When the times of a bag are due on the steady clock: `rate` seconds of the bag in one of the
/// clock, from an anchor on which both agree.
class Timeline {
 public:
  explicit Timeline(double rate) : rate_(rate) {}

  double rate() const { return rate_; }
  bool is_anchored() const { return is_anchored_; }

  /// From now on `time` is due at `at`.
  void anchor(Time time, SteadyTime at) {
    time_ = time;
    at_ = at;
    is_anchored_ = true;
  }
  void release() { is_anchored_ = false; }
  /// Goes on at another rate from where it is at `now`.
  void set_rate(double rate, SteadyTime now) {
    if (is_anchored_) anchor(position(now), now);
    rate_ = rate;
  }

  SteadyTime due(Time time) const;
  /// What is due at `now`.
  Time position(SteadyTime now) const;

 private:
  double rate_;
  bool is_anchored_ = false;
  Time time_{};
  SteadyTime at_{};
};

}  // namespace kitbag
