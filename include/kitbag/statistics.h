#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/error.h"
#include "kitbag/export.h"
#include "kitbag/session.h"
#include "kitbag/stream.h"

// How regularly the messages of each topic come, how late they are, and how large.

namespace kitbag {

/// Statistics of some durations, at least one. They may be negative. Exact to the nanosecond,
/// except for the median and the percentile, which are within 1 %.
struct DurationStatistics {
  std::uint64_t count = 0;   ///< how many there are
  Duration least{};          ///< the shortest
  Duration mean{};           ///< their sum by their number
  Duration median{};         ///< half of them are not longer
  Duration percentile_99{};  ///< 99 of 100 are not longer
  Duration most{};           ///< the longest
  Duration deviation{};      ///< standard deviation of all of them
};

/// Statistics of the messages of one topic and type. Times are log times.
struct TopicStatistics {
  std::string topic;           ///< its name
  std::string type;            ///< name of the type
  std::uint64_t messages = 0;  ///< how many there are
  std::uint64_t bytes = 0;     ///< of payload
  Time start{};                ///< of the first message
  Time end{};                  ///< of the last message
  /// Times between consecutive messages; their deviation is the jitter. Absent: fewer than two
  /// messages.
  std::optional<DurationStatistics> periods = std::nullopt;
  Time longest_gap_start{};  ///< of the message in front of the longest of `periods`
  std::uint64_t gaps = 0;    ///< periods that exceed StatisticsOptions::gap
  /// Log time minus `header.stamp`, of the messages that have a stamp. Absent: none has.
  std::optional<DurationStatistics> latency = std::nullopt;

  /// Returns the time from the first to the last message.
  Duration duration() const { return saturating_difference(start, end); }
};

/// What is counted.
struct StatisticsOptions {
  std::optional<Duration> gap = std::nullopt;  ///< longer periods are gaps; absent: none is
  /// Called with the first message, or definition, that cannot be decoded; the latency of such
  /// messages is left out. May be empty.
  OnProblem on_problem = {};
};

/// Reads `source`, which must be in time order, to its end. Sorted by topic, then type. Takes
/// memory for the topics, not for the messages. State (kState) is left out. Throws what `source`
/// throws, and Error: invalid if `options.gap` is negative, cancelled on `wait.stop`.
KITBAG_API std::vector<TopicStatistics> statistics(Source& source, const StatisticsOptions& options,
                                                   const Session& session, const Wait& wait = {});

}  // namespace kitbag
