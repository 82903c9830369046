#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kitbag/stream.h"

namespace kitbag {

/// The content of one topic and type, comparable across formats.
struct TopicDigest {
  std::string topic;
  std::string type;
  std::uint64_t messages = 0;
  std::string sha256;  ///< lower-case hex, over (log_time as 8 bytes little-endian, payload)
};

/// Reads `source`, which must be in time order, to its end. Sorted by topic, then type.
KITBAG_API std::vector<TopicDigest> digest(Source& source, std::stop_token stop = {});

/// One place where two bags are not the same.
struct Difference {
  std::string topic;
  std::string text;  ///< one line for people, with both sides
};

struct Comparison {
  std::uint64_t messages_a = 0;
  std::uint64_t messages_b = 0;
  std::uint64_t differences = 0;  ///< all of them
  std::vector<Difference> first;  ///< the first of them
};

/// Compares message by message, topic by topic: type, log time and payload; with `ignore_time`
/// each topic's order and payloads only. Both sources in the same order; memory is bounded by how
/// far the two run apart. Keeps the first `keep` differences.
KITBAG_API Comparison compare(Source& a, Source& b, bool ignore_time, std::size_t keep = 10,
                              std::stop_token stop = {});

}  // namespace kitbag
