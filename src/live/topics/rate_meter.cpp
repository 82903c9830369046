#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "kitbag/live_topics.h"

// A topic has a ring of sums, one for each period. rates() adds up those of the ring, so a window
// moves on by a period at a time and no message is kept. An interval belongs to the period of its
// later message; so the first message of a period counts with the last one of the period before.
//
// Channels are found by their address in the batch before, which holds as long as the table of
// channels does. A topic is one for all its channels: two publishers of one topic share its rate,
// as ros2 topic hz has it.

namespace kitbag {

namespace {

Duration duration_of(double seconds) {
  return Duration(static_cast<std::int64_t>(std::llround(seconds * 1e9)));
}

}  // namespace

double TopicRates::hz() const {
  return mean > Duration::zero() ? 1e9 / static_cast<double>(mean.count()) : 0;
}

double TopicRates::mean_bytes() const {
  return messages > 0 ? static_cast<double>(bytes) / static_cast<double>(messages) : 0;
}

double TopicRates::bytes_per_second() const {
  return mean_bytes() * hz();
}

struct RateMeter::State {
  /// What came in a period.
  /// Sums of two periods can be added, so nothing but these is kept: also the deviation follows
  /// from sums of intervals and of their squares.
  struct Sums {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::uint64_t least_bytes = UINT64_MAX;
    std::uint64_t most_bytes = 0;
    std::uint64_t intervals = 0;
    Duration least = Duration::max();
    Duration most{};
    double seconds = 0;         ///< of all intervals
    double square_seconds = 0;  ///< of their squares

    void add(const Sums& other) {
      messages += other.messages;
      bytes += other.bytes;
      least_bytes = std::min(least_bytes, other.least_bytes);
      most_bytes = std::max(most_bytes, other.most_bytes);
      intervals += other.intervals;
      least = std::min(least, other.least);
      most = std::max(most, other.most);
      seconds += other.seconds;
      square_seconds += other.square_seconds;
    }
  };
  struct Topic {
    std::string encoding;
    std::vector<Sums> ring;
    std::optional<Time> last;  ///< message
  };

  Topic& topic_of(const Channel& channel) {
    if (channel.slot >= by_slot.size()) by_slot.resize(channel.slot + 1);
    auto& [known, topic] = by_slot[channel.slot];
    if (known == &channel) return *topic;
    Topic& found = topics[{channel.topic, channel.type()}];
    found.encoding = channel.encoding;
    if (found.ring.empty()) found.ring.resize(ring_size);
    by_slot[channel.slot] = {&channel, &found};
    return found;
  }

  std::size_t ring_size = 1;
  bool has_periods = false;
  std::size_t current = 0;                                      ///< in each ring
  std::map<std::pair<std::string, std::string>, Topic> topics;  ///< by topic and type
  std::vector<std::pair<const Channel*, Topic*>> by_slot;
  ChannelsPtr channels;  ///< of the last batch, so that addresses stay theirs
};

RateMeter::RateMeter(std::size_t periods) : state_(std::make_unique<State>()) {
  state_->ring_size = std::max<std::size_t>(periods, 1);
  state_->has_periods = periods > 0;
}
RateMeter::~RateMeter() = default;
RateMeter::RateMeter(RateMeter&&) noexcept = default;
RateMeter& RateMeter::operator=(RateMeter&&) noexcept = default;

void RateMeter::add(const Batch& batch) {
  if (batch.channels && batch.channels != state_->channels) {
    state_->channels = batch.channels;
    state_->by_slot.clear();
  }
  for (const Message& message : batch.messages()) {
    State::Topic& topic = state_->topic_of(*message.channel);
    State::Sums one{1, message.data.size(), message.data.size(), message.data.size()};
    if (topic.last) {
      // Two publishers of a topic may be some microseconds out of order.
      Duration interval =
          std::max(saturating_difference(*topic.last, message.log_time), Duration::zero());
      one.intervals = 1;
      one.least = one.most = interval;
      one.seconds = std::chrono::duration<double>(interval).count();
      one.square_seconds = one.seconds * one.seconds;
    }
    topic.last = std::max(topic.last.value_or(Time::min()), message.log_time);
    topic.ring[state_->current].add(one);
  }
}

void RateMeter::begin_period() {
  if (!state_->has_periods) return;
  state_->current = (state_->current + 1) % state_->ring_size;
  for (auto& [names, topic] : state_->topics) topic.ring[state_->current] = State::Sums();
}

std::vector<TopicRates> RateMeter::rates() const {
  std::vector<TopicRates> all;
  all.reserve(state_->topics.size());
  for (const auto& [names, topic] : state_->topics) {
    State::Sums sums;
    for (const State::Sums& each : topic.ring) sums.add(each);
    TopicRates& rates = all.emplace_back();
    rates.topic = names.first;
    rates.type = names.second;
    rates.encoding = topic.encoding;
    rates.messages = sums.messages;
    rates.bytes = sums.bytes;
    rates.least_bytes = sums.messages > 0 ? sums.least_bytes : 0;
    rates.most_bytes = sums.most_bytes;
    rates.intervals = sums.intervals;
    if (sums.intervals == 0) continue;
    auto count = static_cast<double>(sums.intervals);
    double mean = sums.seconds / count;
    rates.least = sums.least;
    rates.most = sums.most;
    rates.mean = duration_of(mean);
    rates.deviation =
        duration_of(std::sqrt(std::max(sums.square_seconds / count - mean * mean, 0.0)));
  }
  return all;
}

}  // namespace kitbag
