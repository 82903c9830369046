#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "kitbag/time.h"

namespace kitbag {

/// How often durations were seen, in classes that are a hundredth of their size wide: median and
/// percentiles of any number of durations, in little memory.
class DurationHistogram {
 public:
  void add(Duration duration) {
    ++classes_[class_of(duration.count())];
    ++total_;
  }
  std::uint64_t total() const { return total_; }

  /// Within 1 %; zero if there are none.
  Duration median() const { return percentile(50); }

  /// The shortest one that is not exceeded by `percent` of 100, from 1 to 100. Within 1 %; zero if
  /// there are none.
  Duration percentile(std::uint64_t percent) const {
    std::uint64_t rank = total_ / 100 * percent + (total_ % 100 * percent + 99) / 100;
    std::uint64_t before = 0;
    for (const auto& [number, count] : classes_) {
      before += count;
      if (before >= rank) return Duration(middle_of(number));
    }
    return {};
  }

 private:
  static constexpr double kClassesPerOctave = 64;

  /// Classes of negative durations are negative; that of zero is 0.
  static int class_of(std::int64_t ns) {
    if (ns == 0) return 0;
    double size = std::abs(static_cast<double>(ns));
    int number = 1 + static_cast<int>(std::log2(size) * kClassesPerOctave);
    return ns < 0 ? -number : number;
  }
  static std::int64_t middle_of(int number) {
    if (number == 0) return 0;
    double size = std::exp2((std::abs(number) - 0.5) / kClassesPerOctave);
    auto ns = static_cast<std::int64_t>(std::min(size, 9e18));
    return number < 0 ? -ns : ns;
  }

  std::map<int, std::uint64_t> classes_;
  std::uint64_t total_ = 0;
};

}  // namespace kitbag
