#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kitbag/export.h"
#include "kitbag/time.h"

namespace kitbag {

/// "768KiB", "1.5GB", "100000": bytes. k, M, G, T with or without B count in 1000, Ki, Mi, Gi, Ti
/// in 1024; case does not matter, and fractions of a byte are dropped. Throws Error (invalid).
KITBAG_API std::uint64_t parse_size(std::string_view text);

/// "5s", "500ms", "2m", "1.5h", "250us", "10ns", "1d", several as in "1h 30m", or plain seconds.
/// Throws Error (invalid), for what is finer than a nanosecond too.
KITBAG_API Duration parse_duration(std::string_view text);

/// A point in time as a person gives it, perhaps relative to a bag.
struct TimePoint {
  enum class From { epoch, start, end } from = From::epoch;
  Duration offset{};

  /// The absolute time, for a bag from `start` to `end`; at the end of what Time can hold, that.
  KITBAG_API Time resolve(Time start, Time end) const;
};

/// "1700000000.25" (seconds since 1970, exact to the nanosecond), "2026-11-20T14:30:00.5Z" or with
/// an offset "+01:00" (UTC where none is given), "+5s" from the start, "-5s" from the end.
/// Throws Error (invalid).
KITBAG_API TimePoint parse_time(std::string_view text);

/// `topic` as a pattern of Selection::topics that matches nothing else.
KITBAG_API std::string exact_pattern(std::string_view topic);

/// "2026-11-20T14:30:00.500000000Z"; as ISO 8601 in UTC with nine decimals.
KITBAG_API std::string format_time(Time time);
/// "1h 02m 03.5s", "12.3s", "0.005s": to the millisecond from a second up, below to the
/// microsecond, and below a millisecond exact.
KITBAG_API std::string format_duration(Duration duration);
/// "4.1 KiB", "1.2 GiB", "17 B".
KITBAG_API std::string format_size(std::uint64_t bytes);

}  // namespace kitbag
