#include "kitbag/statistics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "compare/duration_histogram.h"
#include "payload/header_stamps.h"

// One pass, in which nothing is kept of a message. Mean and deviation are updated message by
// message (Welford): the sum of squares minus the square of the sum would cancel where a topic is
// very regular. Median and percentile come from a histogram, and lie between the extremes, which
// are exact; so they are exact where all durations are equal.

namespace kitbag {
namespace {

Duration rounded(double ns) {
  return Duration(static_cast<std::int64_t>(std::clamp(std::round(ns), -9.2e18, 9.2e18)));
}

class RunningDurations {
 public:
  void add(Duration duration) {
    auto ns = static_cast<double>(duration.count());
    ++result_.count;
    double before = ns - mean_;
    mean_ += before / static_cast<double>(result_.count);
    squares_ += before * (ns - mean_);
    bool is_first = result_.count == 1;
    result_.least = is_first ? duration : std::min(result_.least, duration);
    result_.most = is_first ? duration : std::max(result_.most, duration);
    histogram_.add(duration);
  }

  std::optional<DurationStatistics> finish() const {
    if (result_.count == 0) return std::nullopt;
    DurationStatistics result = result_;
    result.mean = std::clamp(rounded(mean_), result.least, result.most);
    result.deviation = rounded(std::sqrt(squares_ / static_cast<double>(result.count)));
    result.median = std::clamp(histogram_.median(), result.least, result.most);
    result.percentile_99 = std::clamp(histogram_.percentile(99), result.least, result.most);
    return result;
  }
  bool is_longest(Duration duration) const { return result_.count == 0 || duration > result_.most; }

 private:
  DurationStatistics result_;  ///< count, least and most
  double mean_ = 0;            ///< in nanoseconds
  double squares_ = 0;         ///< of the differences from the mean
  DurationHistogram histogram_;
};

/// A topic and type while it is counted.
struct RunningTopic {
  TopicStatistics topic;
  Time last{};  ///< log time of the message before
  RunningDurations periods;
  RunningDurations latency;

  void add(const Message& message, const std::optional<Duration>& gap) {
    Time time = message.log_time;
    if (topic.messages++ == 0) {
      topic.start = time;
      topic.end = time;
    } else {
      Duration period = saturating_difference(last, time);
      if (periods.is_longest(period)) topic.longest_gap_start = last;
      periods.add(period);
      if (gap && period > *gap) ++topic.gaps;
    }
    topic.start = std::min(topic.start, time);
    topic.end = std::max(topic.end, time);
    topic.bytes += message.data.size();
    last = time;
  }

  TopicStatistics finish() {
    topic.periods = periods.finish();
    topic.latency = latency.finish();
    return std::move(topic);
  }
};

class RunningTopics {
 public:
  RunningTopics(const StatisticsOptions& options, const Session& session)
      : options_(options), stamps_(session, options.on_problem) {}

  void add(const Message& message) {
    // Messages from before a range, which are given for their state, would make periods of hours.
    if ((message.flags & kState) != 0) return;
    RunningTopic& running = topic_of(*message.channel);
    running.add(message, options_.gap);
    if (auto stamp = stamps_.of(message)) {
      running.latency.add(saturating_difference(*stamp, message.log_time));
    }
  }

  std::vector<TopicStatistics> finish() {
    std::vector<TopicStatistics> all;
    all.reserve(by_name_.size());
    for (auto& [names, running] : by_name_) all.push_back(running->finish());
    return all;
  }

 private:
  RunningTopic& topic_of(const Channel& channel) {
    if (by_slot_.size() <= channel.slot) by_slot_.resize(channel.slot + 1);
    RunningTopic*& known = by_slot_[channel.slot];
    if (known) return *known;
    auto& running = by_name_[{channel.topic, channel.type()}];
    if (!running) {
      running = std::make_unique<RunningTopic>();
      running->topic.topic = channel.topic;
      running->topic.type = channel.type();
    }
    known = running.get();
    return *known;
  }

  const StatisticsOptions& options_;
  HeaderStamps stamps_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<RunningTopic>> by_name_;
  std::vector<RunningTopic*> by_slot_;
};

}  // namespace

std::vector<TopicStatistics> statistics(Source& source, const StatisticsOptions& options,
                                        const Session& session, const Wait& wait) {
  if (options.gap && *options.gap < Duration::zero()) {
    throw Error(ErrorCode::invalid, "a gap cannot be shorter than nothing");
  }
  RunningTopics topics(options, session);
  Batch batch;
  while (source.read(batch, wait)) {
    if (wait.stop.stop_requested()) break;
    for (const Message& message : std::as_const(batch).messages()) topics.add(message);
    batch.clear();
  }
  if (wait.stop.stop_requested()) throw Error(ErrorCode::cancelled, "the counting was stopped");
  return topics.finish();
}

}  // namespace kitbag
