#include "pipeline/play/timeline.h"

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

/// Times may lie further apart than a Duration can say.
std::int64_t between(Time from, Time to) {
  std::int64_t exact = 0;
  if (!__builtin_sub_overflow(to_ns(to), to_ns(from), &exact)) return exact;
  return to < from ? -kFarNs : kFarNs;
}

}  // namespace

Steady Timeline::due(Time time) const {
  return at_ + clamped(static_cast<double>(between(time_, time)) / rate_);
}

Time Timeline::position(Steady now) const {
  Duration since = clamped(static_cast<double>((now - at_).count()) * rate_);
  std::int64_t position = 0;
  if (!__builtin_add_overflow(to_ns(time_), since.count(), &position)) return from_ns(position);
  return since < Duration::zero() ? Time::min() : Time::max();
}

}  // namespace kitbag
