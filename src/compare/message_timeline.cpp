#include "kitbag/message_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "compare/duration_histogram.h"
#include "kitbag/error.h"
#include "kitbag/selector.h"
#include "model/listed_times.h"
#include "payload/header_stamps.h"

// One pass over the times of all messages, in the order in which a bag gives them, and nothing is
// kept of a message. A gap is known to be one only at the end, when the median period is, so the
// longest periods of each topic are kept until then.

namespace kitbag {
namespace {

/// Of all topics together: 80 MB of counts.
constexpr std::size_t kMostCounts = 10'000'000;

/// The longest times between two messages of a topic.
class LongestGaps {
 public:
  void add(TimelineGap gap) {
    if (gaps_.size() == TopicTimeline::kMostGaps) {
      Duration least = length(gaps_.front());
      dropped_ = std::max(dropped_, std::min(least, length(gap)));
      if (length(gap) <= least) return;
      std::pop_heap(gaps_.begin(), gaps_.end(), is_longer);
      gaps_.pop_back();
    }
    gaps_.push_back(gap);
    std::push_heap(gaps_.begin(), gaps_.end(), is_longer);
  }

  std::vector<TimelineGap> longer_than(Duration duration) const {
    std::vector<TimelineGap> found;
    for (const TimelineGap& gap : gaps_) {
      if (length(gap) > duration) found.push_back(gap);
    }
    std::sort(found.begin(), found.end(), [](const TimelineGap& a, const TimelineGap& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    return found;
  }
  /// Whether one that is longer was not kept.
  bool has_more(Duration duration) const { return dropped_ > duration; }

 private:
  static Duration length(const TimelineGap& gap) {
    return saturating_difference(gap.begin, gap.end);
  }
  static bool is_longer(const TimelineGap& a, const TimelineGap& b) {
    return length(a) > length(b);
  }

  std::vector<TimelineGap> gaps_;  ///< a heap, the shortest in front
  Duration dropped_{};             ///< the longest one that was not kept
};

/// A topic and type while it is counted.
struct Row {
  TopicTimeline timeline;
  Time last{};
  DurationHistogram periods;
  LongestGaps gaps;
  DurationHistogram delays;
};

class Counting {
 public:
  Counting(const Bag& bag, const TimelineOptions& options, const Session& session)
      : summary_(bag.summary()),
        options_(options),
        session_(session),
        stamps_(session, options.on_problem) {
    Duration whole = saturating_difference(summary_.start, summary_.end);
    auto buckets = static_cast<std::int64_t>(options.buckets);
    // So that the end of the bag is within the last one.
    timeline_.bucket_duration = Duration(whole.count() / buckets + 1);
    timeline_.start = summary_.start;
    Selector selector(options.select);
    for (const ChannelPtr& channel : *summary_.channels) {
      bool is_wanted = channel && selector.matches(*channel);
      slots_.push_back(is_wanted ? 1 : 0);
      by_slot_.push_back(is_wanted ? &row_of(*channel) : nullptr);
    }
    if (rows_.size() * options.buckets > kMostCounts) {
      throw Error(ErrorCode::limit,
                  fmt::format("{} topics with {} buckets each are too many; select fewer",
                              rows_.size(), options.buckets));
    }
    for (auto& [names, row] : rows_) row->timeline.counts.resize(options.buckets);
    begun_ = session.clock()->steady();
  }

  const std::vector<std::uint8_t>& slots() const { return slots_; }

  void add(Time time, std::uint32_t slot) {
    Row* row = slot < by_slot_.size() ? by_slot_[slot] : nullptr;
    if (!row) return;
    TopicTimeline& timeline = row->timeline;
    Duration since = saturating_difference(timeline_.start, time);
    auto bucket = std::max<std::int64_t>(0, since / timeline_.bucket_duration);
    ++timeline.counts[std::min(static_cast<std::size_t>(bucket), timeline.counts.size() - 1)];
    // An index may say that a bag begins later than its first message.
    if (timeline.messages == 0) row->last = timeline_.start;
    Time before = row->last;
    if (time >= before) {
      row->gaps.add({before, time});
      if (timeline.messages > 0) row->periods.add(saturating_difference(before, time));
      row->last = time;
    }
    ++timeline.messages;
  }

  void read(const Message& message) {
    add(message.log_time, message.channel->slot);
    std::uint32_t slot = message.channel->slot;
    Row* row = by_slot_.at(slot);
    if (!row) return;
    if (sequences_.size() <= slot) sequences_.resize(slot + 1);
    std::uint32_t before = std::exchange(sequences_[slot], message.sequence);
    // A format without numbers gives 0. A number below the one before is taken for a publisher that
    // has started again, of which nothing is missing.
    bool has_numbers = message.sequence > 0 && before > 0;
    if (has_numbers && message.sequence >= before + 1) {
      auto& missing = row->timeline.missing;
      missing = missing.value_or(0) + (message.sequence - (before + 1));
    }
    if (auto stamp = stamps_.of(message)) add_delay(*stamp, message.log_time, *row);
  }

  void check_time() const {
    if (options_.most_time == Duration::max()) return;
    if (session_.clock()->steady() - begun_ <= options_.most_time) return;
    throw Error(ErrorCode::limit, "the timeline takes longer than is allowed; select fewer topics");
  }

  MessageTimeline finish() {
    for (auto& [names, row] : rows_) {
      TopicTimeline& timeline = row->timeline;
      if (row->periods.total() >= 2) {
        Duration median = row->periods.median();
        timeline.median_period = median;
        if (row->last < summary_.end) row->gaps.add({row->last, summary_.end});
        double longest = options_.gap_factor * static_cast<double>(median.count());
        // A factor may be infinite, and what an integer cannot hold must not be converted to one.
        Duration limit(static_cast<std::int64_t>(std::min(longest, 9e18)));
        timeline.gaps = row->gaps.longer_than(limit);
        timeline.has_more_gaps = row->gaps.has_more(limit);
      }
      if (timeline.delay) timeline.delay->median = row->delays.median();
      timeline_.topics.push_back(std::move(timeline));
    }
    return std::move(timeline_);
  }

 private:
  Row& row_of(const Channel& channel) {
    auto& row = rows_[{channel.topic, channel.type()}];
    if (!row) {
      row = std::make_unique<Row>();
      row->timeline.topic = channel.topic;
      row->timeline.type = channel.type();
    }
    return *row;
  }

  static void add_delay(Time stamp, Time log_time, Row& row) {
    Duration delay = saturating_difference(stamp, log_time);
    auto& range = row.timeline.delay;
    if (!range) range = DurationRange{delay, {}, delay};
    range->least = std::min(range->least, delay);
    range->most = std::max(range->most, delay);
    row.delays.add(delay);
  }

  const Summary& summary_;
  const TimelineOptions& options_;
  Session session_;
  MessageTimeline timeline_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<Row>> rows_;
  std::vector<std::uint8_t> slots_;
  std::vector<Row*> by_slot_;
  std::vector<std::uint32_t> sequences_;  ///< of the last message, by slot
  HeaderStamps stamps_;
  SteadyTime begun_;
};

void check_options(const TimelineOptions& options) {
  if (options.buckets < 1 || options.buckets > TimelineOptions::kMostBuckets) {
    throw Error(ErrorCode::invalid,
                fmt::format("a timeline has from 1 to {} buckets", TimelineOptions::kMostBuckets));
  }
  if (!(options.gap_factor > 1)) {
    throw Error(ErrorCode::invalid, "the factor of gaps must be more than 1");
  }
}

}  // namespace

MessageTimeline message_timeline(const Bag& bag, const TimelineOptions& options,
                                 const Session& session, const Wait& wait) {
  check_options(options);
  Counting counting(bag, options, session);
  const auto* listing = find_listed_times(bag);
  if (listing && !options.reads_messages) {
    auto take = [&](std::span<const ListedTime> times) {
      for (const ListedTime& each : times) counting.add(each.time, each.slot);
      counting.check_time();
    };
    listing->list_times(counting.slots(), options.on_problem, take, wait);
    return counting.finish();
  }
  Query query;
  query.select = options.select;
  query.on_problem = options.on_problem;
  auto source = bag.read(query, wait);
  Batch batch;
  while (source->read(batch, wait)) {
    throw_if_stopped(wait);
    for (const Message& message : std::as_const(batch).messages()) {
      options.reads_messages ? counting.read(message)
                             : counting.add(message.log_time, message.channel->slot);
    }
    counting.check_time();
    batch.clear();
  }
  return counting.finish();
}

}  // namespace kitbag
