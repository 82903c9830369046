#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/export.h"
#include "kitbag/session.h"

// When messages come: how many in each part of a bag, where a topic was silent, and, if asked, how
// late messages were and how many are missing. Times are log times.

namespace kitbag {

/// A time without messages of a topic.
struct TimelineGap {
  Time begin{};  ///< log time of the message in front of it, or start of the bag
  Time end{};    ///< log time of the message behind it, or end of the bag
};

/// Shortest, median and longest of some durations; the median is within 1 %.
struct DurationRange {
  Duration least{};   ///< the shortest
  Duration median{};  ///< half of them are longer
  Duration most{};    ///< the longest
};

/// The messages of one topic and type over time.
struct TopicTimeline {
  std::string topic;                  ///< its name
  std::string type;                   ///< name of the type
  std::uint64_t messages = 0;         ///< how many there are
  std::vector<std::uint64_t> counts;  ///< messages in each bucket
  /// Median time between two messages, within 1 %; absent if there are fewer than three messages.
  std::optional<Duration> median_period = std::nullopt;
  /// The longest times without a message that exceed TimelineOptions::gap_factor times the median
  /// period, by time; also between the start of the bag and the first message, and between the last
  /// message and the end. At most kMostGaps.
  std::vector<TimelineGap> gaps = {};
  bool has_more_gaps = false;  ///< shorter gaps were left out
  /// Log time minus the stamp in the header. Absent: not asked for, or there are no such stamps.
  std::optional<DurationRange> delay = std::nullopt;
  /// Numbers that are missing between the sequence numbers of messages. Absent: not asked for, or
  /// the bag has no sequence numbers.
  std::optional<std::uint64_t> missing = std::nullopt;

  static constexpr std::size_t kMostGaps = 100;  ///< most of `gaps`
};

/// The messages of a bag over time.
struct MessageTimeline {
  Time start{};                       ///< of the first bucket: the start of the bag
  Duration bucket_duration{};         ///< the last bucket may reach beyond the end of the bag
  std::vector<TopicTimeline> topics;  ///< by topic, then type
};

/// What a timeline is made of.
struct TimelineOptions {
  std::size_t buckets = 100;  ///< from 1 to kMostBuckets
  Selection select = {};      ///< which channels
  /// A topic is silent if it has no message for this many median periods. More than 1.
  double gap_factor = 5;
  /// True: messages are read and decoded, for TopicTimeline::delay and
  /// TopicTimeline::missing. False:
  /// where the bag has an index, nothing but the index is read.
  bool reads_messages = false;
  /// The most time that it may take.
  Duration most_time = Duration::max();
  /// Called with damage. Empty: ReadOptions::on_problem of the bag.
  OnProblem on_problem = {};

  static constexpr std::size_t kMostBuckets = 10'000;  ///< most of `buckets`
};

/// Returns the timeline of `bag`. Takes memory for the topics and buckets, not for the messages.
/// Throws Error: invalid for options out of range, limit if there are more than ten million buckets
/// of all topics together or if it takes longer than `most_time`, cancelled on `wait.stop`.
KITBAG_API MessageTimeline message_timeline(const Bag& bag, const TimelineOptions& options,
                                            const Session& session, const Wait& wait = {});

}  // namespace kitbag
