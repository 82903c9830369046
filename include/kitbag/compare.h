#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kitbag/stream.h"

namespace kitbag {

/// A hash of the messages of one topic and type, comparable across formats.
struct TopicDigest {
  std::string topic;           ///< its name
  std::string type;            ///< name of the type
  std::uint64_t messages = 0;  ///< how many there are
  /// SHA-256 in lower-case hex of the messages: for each, log_time in nanoseconds as 8 bytes
  /// little-endian, then the payload.
  std::string sha256;
};

/// Reads `source`, which must be in time order, to its end. Sorted by topic, then type. Throws
/// Error (cancelled) on `stop`.
KITBAG_API std::vector<TopicDigest> digest(Source& source, std::stop_token stop = {});

/// One difference between two bags.
struct Difference {
  std::string topic;  ///< on which it is; may be empty
  std::string text;   ///< one line for people, with both sides
};

/// The result of compare().
struct Comparison {
  std::uint64_t messages_a = 0;   ///< messages read from the first source
  std::uint64_t messages_b = 0;   ///< messages read from the second source
  std::uint64_t differences = 0;  ///< the number of all differences
  std::vector<Difference> first;  ///< the first of them
};

/// Compares two sources message by message, topic by topic: type, log time and payload; with
/// `ignore_time`, only the order and the payloads within each topic. Both sources must be in the
/// same order. Keeps the first `keep` differences.
///
/// Memory is limited to 256 MiB of messages that one source has delivered and the other has not.
/// Throws Error: unsupported beyond that, cancelled on `stop`.
KITBAG_API Comparison compare(Source& a, Source& b, bool ignore_time, std::size_t keep = 10,
                              std::stop_token stop = {});

}  // namespace kitbag
