#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "kitbag/bag.h"

namespace kitbag {

/// The number and size of the messages of one topic and type.
struct TopicUsage {
  std::string topic;           ///< its name
  std::string type;            ///< name of the type
  std::uint64_t messages = 0;  ///< how many there are
  std::uint64_t bytes = 0;     ///< of payload
};

/// The timing of the messages of one topic and type, by log time.
struct TopicTiming {
  std::string topic;           ///< its name
  std::string type;            ///< name of the type
  std::uint64_t messages = 0;  ///< how many there are
  std::uint64_t bytes = 0;     ///< of payload
  /// Statistics of the times between consecutive messages, in seconds; 0 if there are fewer than
  /// two messages.
  double mean_s = 0;       ///< the mean
  double deviation_s = 0;  ///< standard deviation: the jitter
  double least_s = 0;      ///< the shortest
  double most_s = 0;       ///< the longest
};

/// Reads `source`, which must be in time order, to its end. Sorted by topic, then type. Throws
/// Error (cancelled) on `stop`.
KITBAG_API std::vector<TopicTiming> timings(Source& source, const std::stop_token& stop = {});

/// Reads `source` to its end. Sorted by size, the largest first, then by topic. Throws Error
/// (cancelled) on `stop`.
KITBAG_API std::vector<TopicUsage> usage(Source& source, const std::stop_token& stop = {});

/// Returns the summary of `bag`. If the bag comes from a pipe (Summary::is_stream), it is read to
/// its end, and the summary has the channels, counts and times that were found. Throws Error
/// (cancelled) on `stop`.
KITBAG_API Summary counted_summary(const Bag& bag, const std::stop_token& stop = {});

}  // namespace kitbag
