#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "kitbag/bag.h"

namespace kitbag {

/// What the messages of one topic and type take.
struct TopicUsage {
  std::string topic;
  std::string type;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;  ///< of payload
};

/// How regularly the messages of one topic and type come, by log time.
struct TopicTiming {
  std::string topic;
  std::string type;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;  ///< of payload
  /// Of the times between one message and the next; 0 where there are fewer than two.
  double mean_s = 0;
  double deviation_s = 0;  ///< standard deviation: the jitter
  double least_s = 0;
  double most_s = 0;
};

/// Reads `source`, in the order of time, to its end; by topic. Throws Error (cancelled) on `stop`.
KITBAG_API std::vector<TopicTiming> timings(Source& source, const std::stop_token& stop = {});

/// Reads `source` to its end; the largest first, then by name. Throws Error (cancelled) on `stop`.
KITBAG_API std::vector<TopicUsage> usage(Source& source, const std::stop_token& stop = {});

/// The summary of `bag`, with what only reading shows of one that comes through a pipe, which then
/// is read. Throws Error (cancelled) on `stop`.
KITBAG_API Summary counted_summary(const Bag& bag, const std::stop_token& stop = {});

}  // namespace kitbag
