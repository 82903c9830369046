#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kitbag/plot.h"
#include "kitbag/series.h"
#include "kitbag/time.h"

namespace kitbag {

/// Values over time, in a bounded number of parts, for a range of time that is not known before.
class GrowingSeries {
 public:
  explicit GrowingSeries(std::uint64_t most_parts) : most_parts_(most_parts) {}

  /// Adds the value of a message; NaN: a gap. Times may come in any order.
  void add(Time time, double value);

  /// The first time that was added, also of gaps.
  std::optional<Time> first() const { return first_; }

  /// The parts with values; x is in seconds from `origin`. A time without values that is longer
  /// than `gap` is one; absent: than 10 times the mean period.
  std::vector<PlotPoint> points(Time origin, std::optional<Duration> gap) const;

 private:
  void double_width();
  double gap_ns(std::optional<Duration> gap) const;
  Time time_of(const SeriesBucket& bucket) const;

  std::uint64_t most_parts_;
  unsigned width_bits_ = 0;  ///< a part takes 2 to the power of this, in nanoseconds
  std::optional<Time> first_;
  std::optional<Time> last_;
  std::uint64_t values_ = 0;
  FieldSeries series_;  ///< indexes count from the first time that there is
  FieldSeries gaps_;    ///< where NaN was
};

/// Returns `time` - `from` in seconds, also if they are far apart.
double seconds_between(Time from, Time time);

}  // namespace kitbag
