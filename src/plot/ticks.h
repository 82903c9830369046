#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/time.h"

namespace kitbag {

inline constexpr std::size_t kMostTicks = 20;  ///< of an axis, however large the plot is

/// What an axis spans; `least` is below `greatest`.
struct Range {
  double least = 0;
  double greatest = 1;
};

/// A place on an axis that has a label.
struct Tick {
  double at = 0;
  std::string label;
};

/// Returns a range that holds `least` and `greatest`, with some room around them. For values that
/// are equal, and for those that are farther apart than a number can be.
Range padded(double least, double greatest);

/// Returns places at multiples of 1, 2 or 5 times a power of ten, at most `most` steps from the
/// first to the last, with as many digits as tell them apart. `are_whole`: only at whole numbers.
std::vector<Tick> number_ticks(const Range& range, std::size_t most, bool are_whole);

/// Returns places at round times of the day, or days, as number_ticks() does. The range is in
/// seconds from `start`.
std::vector<Tick> time_ticks(const Range& range, Time start, std::size_t most);

/// Returns "2026-01-01", or "2026-01-01 to 2026-01-02": the days of a range.
std::string days_of(const Range& range, Time start);

/// Returns those of `names` that lie in `range`, at most `most`.
std::vector<Tick> name_ticks(const Range& range,
                             const std::vector<std::pair<std::int64_t, std::string>>& names,
                             std::size_t most);

}  // namespace kitbag
