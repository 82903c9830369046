#pragma once

#include <cstdint>

#include "kitbag/series.h"

namespace kitbag {

/// Into which parts the time of a series is divided.
struct SeriesParts {
  Time start{};
  std::uint64_t width_ns = 1;
  std::uint64_t count = 0;

  std::uint64_t index_of(Time time) const { return time <= start ? 0 : ns_since(time) / width_ns; }
  std::uint64_t ns_since(Time time) const {
    return static_cast<std::uint64_t>(to_ns(time)) - static_cast<std::uint64_t>(to_ns(start));
  }
  /// Time::max(): beyond what a time can represent.
  Time end() const;
  /// `ns` after the start; it must not be beyond what a time can represent.
  Time after_ns(std::uint64_t ns) const {
    return from_ns(static_cast<std::int64_t>(static_cast<std::uint64_t>(to_ns(start)) + ns));
  }
};

/// The width in nanoseconds of the finest parts that are kept: those of the whole bag.
std::uint64_t finest_width_ns(const Summary& summary);
/// Throws Error for a request that asks for no field, or for too much.
void check_series_request(const SeriesRequest& request);
SeriesParts series_parts(const Summary& summary, const SeriesRequest& request);
Series empty_series(const SeriesParts& parts);
/// Adds values that are later than those that part `index` of the field has.
void add(const SeriesBucket& more, FieldSeries& field, std::uint64_t index);

}  // namespace kitbag
