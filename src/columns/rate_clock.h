#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "columns/topic_rows.h"
#include "kitbag/align.h"

namespace kitbag {

/// The times of a clock that is a rate.
class RateClock {
 public:
  explicit RateClock(const AlignRate& rate) : rate_(rate) {
    if (rate.begin != Time::min()) begin_ = to_ns(rate.begin);
  }

  bool has_begun() const { return begin_.has_value(); }
  void begin_at(std::int64_t time) { begin_ = time; }
  void advance() { ++ticks_; }
  bool ends_with_messages() const { return rate_.end == Time::max(); }
  /// The next time; nothing after the end.
  std::optional<std::int64_t> time() const {
    auto offset = std::round(static_cast<long double>(ticks_) * 1e9L / rate_.hz);
    if (offset >=
        static_cast<long double>(distance_ns(*begin_, std::numeric_limits<std::int64_t>::max())))
      return std::nullopt;
    auto ns = static_cast<std::uint64_t>(*begin_) + static_cast<std::uint64_t>(offset);
    auto time = static_cast<std::int64_t>(ns);
    if (rate_.end != Time::max() && time >= to_ns(rate_.end)) return std::nullopt;
    return time;
  }

 private:
  AlignRate rate_;
  std::optional<std::int64_t> begin_;
  std::uint64_t ticks_ = 0;
};

}  // namespace kitbag
