#include "flow/timeline.h"

#include <algorithm>
#include <cstdint>

namespace kitbag {

namespace {

/// Thirty years: what is so far off is never waited for to its end.
constexpr std::int64_t kFarNs = 1'000'000'000'000'000'000;

Duration clamped(double ns) {
  constexpr auto kFar = static_cast<double>(kFarNs);
  return Duration(static_cast<std::int64_t>(std::clamp(ns, -kFar, kFar)));
}

}  // namespace

SteadyTime Timeline::due(Time time) const {
  return at_ + clamped(static_cast<double>(saturating_difference(time_, time).count()) / rate_);
}

Time Timeline::position(SteadyTime now) const {
  return saturating_add(time_, clamped(static_cast<double>((now - at_).count()) * rate_));
}

}  // namespace kitbag
