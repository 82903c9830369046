#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/export.h"
#include "kitbag/time.h"

namespace kitbag {

/// Parses a size in bytes: "768KiB", "1.5GB", "100000". k, M, G and T, with or without B, are
/// powers of 1000; Ki, Mi, Gi and Ti are powers of 1024. Case does not matter; fractions of a byte
/// are dropped. Throws Error (invalid).
KITBAG_API std::uint64_t parse_size(std::string_view text);

/// Parses a duration: "5s", "500ms", "2m", "1.5h", "250us", "10ns", "1d", several from the largest
/// unit to the smallest as in "1h 30m", or plain seconds. Throws Error (invalid), also for
/// fractions of a nanosecond.
KITBAG_API Duration parse_duration(std::string_view text);

/// A point in time, absolute or relative to a bag.
struct TimePoint {
  /// What `offset` counts from; epoch is 1970-01-01 UTC.
  enum class From { epoch, start, end } from = From::epoch;  ///< see From
  Duration offset{};                                         ///< from there; may be negative

  /// Returns the absolute time for a bag from `start` to `end`, limited to what Time can represent.
  KITBAG_API Time resolve(Time start, Time end) const;
};

/// Parses a point in time: "1700000000.25" (seconds since 1970, exact to the nanosecond);
/// "2026-11-20T14:30:00.5Z" or with an offset "+01:00" (UTC if there is none; the time of day may
/// be omitted); "+5s" from the start; "-5s" from the end. Throws Error (invalid).
KITBAG_API TimePoint parse_time(std::string_view text);

/// Returns a pattern for Selection::topics that matches only `topic`.
KITBAG_API std::string exact_pattern(std::string_view topic);

/// Returns "2026-11-20T14:30:00.500000000Z": ISO 8601 in UTC with nine decimals.
KITBAG_API std::string format_time(Time time);
/// Returns "1700000000.250000000": seconds since 1970 with nine decimals. A time before 1970 has a
/// minus before its distance from then.
KITBAG_API std::string format_seconds(Time time);
/// Returns "1h 02m 03.5s", "12.3s", "0.005s": rounded to milliseconds from one second up, to
/// microseconds from one millisecond up, exact below.
KITBAG_API std::string format_duration(Duration duration);
/// Returns "4.1 KiB", "1.2 GiB", "17 B".
KITBAG_API std::string format_size(std::uint64_t bytes);

/// Returns those of `known` that look most like `text`, at most `most`, the nearest first: what a
/// person may have meant. Upper and lower case of ASCII letters are nearly the same. Texts that
/// have little in common with it are not returned.
KITBAG_API std::vector<std::string> nearest_texts(std::string_view text,
                                                  const std::vector<std::string>& known,
                                                  std::size_t most);

/// Returns what can be said behind `texts`, which are not among the names `known`: "; similar:
/// /tick; available topics: /chatter, /tick", with the three most similar names and the first ten
/// of all. `what` says what they are: "topics". Empty if nothing is known.
KITBAG_API std::string describe_known(const std::vector<std::string>& texts, std::string_view what,
                                      std::vector<std::string> known);

}  // namespace kitbag
