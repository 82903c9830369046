#include "plot/growing_series.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "columns/series_parts.h"

// series() knows the range of its times before it reads. Here it is not known: header stamps can be
// anywhere, and a pipe has no summary. So the parts begin one nanosecond wide, and whenever the
// values do not fit into the most parts, each two become one of twice the width. There are always
// more than half of the most parts, or one for each nanosecond.
//
// Parts begin at multiples of their width, counted from the first time that a Time can hold. So a
// part is found by a shift, and two that become one never overlap others.
//
// A part does not know the times of its values. A plot has several parts for each column of pixels,
// so their place is exact enough.

namespace kitbag {
namespace {

constexpr double kMeanPeriodsOfGap = 10;
constexpr double kNsPerSecond = 1e9;
constexpr std::uint64_t kHighestBit = 1ULL << 63;

/// Nanoseconds from the first time that there is.
std::uint64_t ns_of(Time time) {
  return static_cast<std::uint64_t>(to_ns(time)) ^ kHighestBit;
}

void halve(FieldSeries& field) {
  FieldSeries halved;
  for (const SeriesBucket& each : field.buckets) kitbag::add(each, halved, each.index / 2);
  field.buckets = std::move(halved.buckets);
}

}  // namespace

double seconds_between(Time from, Time time) {
  if (time < from) return -seconds_between(time, from);
  return static_cast<double>(ns_of(time) - ns_of(from)) / kNsPerSecond;
}

void GrowingSeries::add(Time time, double value) {
  first_ = first_ ? std::min(*first_, time) : time;
  last_ = last_ ? std::max(*last_, time) : time;
  auto parts = [&] { return (ns_of(*last_) >> width_bits_) - (ns_of(*first_) >> width_bits_); };
  // Before the value is added, which would be outside of the parts. It ends: a part of 2 to the
  // power of 63 ns leaves two of them.
  while (parts() >= most_parts_) double_width();
  bool is_gap = std::isnan(value);
  if (!is_gap) ++values_;
  kitbag::add({0, 1, value, value, value, value}, is_gap ? gaps_ : series_,
              ns_of(time) >> width_bits_);
}

void GrowingSeries::double_width() {
  halve(series_);
  halve(gaps_);
  ++width_bits_;
}

double GrowingSeries::gap_ns(std::optional<Duration> gap) const {
  if (gap) return static_cast<double>(gap->count());
  if (values_ < 2) return HUGE_VAL;
  // At most one pause in ten can be longer than ten times the mean, whatever the values are. So
  // rare events stay connected, where a multiple of the median would tear them into dots.
  double all = static_cast<double>(ns_of(*last_) - ns_of(*first_));
  return kMeanPeriodsOfGap * all / static_cast<double>(values_ - 1);
}

/// The middle of the part.
Time GrowingSeries::time_of(const SeriesBucket& bucket) const {
  std::uint64_t ns = (bucket.index << width_bits_) + ((1ULL << width_bits_) >> 1);
  Time middle = from_ns(static_cast<std::int64_t>(ns ^ kHighestBit));
  // The middle of the first and the last part may lie outside of what was added.
  return std::clamp(middle, *first_, *last_);
}

std::vector<PlotPoint> GrowingSeries::points(Time origin, std::optional<Duration> gap) const {
  std::vector<PlotPoint> points;
  points.reserve(series_.buckets.size());
  double longest_ns = gap_ns(gap);
  auto width_ns = static_cast<double>(1ULL << width_bits_);
  auto next_gap = gaps_.buckets.begin();
  const SeriesBucket* before = nullptr;
  for (const SeriesBucket& each : series_.buckets) {
    bool is_connected = before != nullptr;
    if (before) {
      // A gap within a part is behind its values.
      while (next_gap != gaps_.buckets.end() && next_gap->index < before->index) ++next_gap;
      bool has_gap = next_gap != gaps_.buckets.end() && next_gap->index < each.index;
      double least_pause_ns = static_cast<double>(each.index - before->index - 1) * width_ns;
      is_connected = !has_gap && least_pause_ns <= longest_ns;
    }
    points.push_back(
        {seconds_between(origin, time_of(each)), each.min, each.max, each.last, is_connected});
    before = &each;
  }
  return points;
}

}  // namespace kitbag
