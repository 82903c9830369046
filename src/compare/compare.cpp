#include "kitbag/compare.h"

#include <fmt/format.h>

#include <algorithm>

#include "compare/comparer.h"
#include "kitbag/error.h"

// Both bags are read once, in step: the side that waits less is read next, so what is in memory is
// about the distance by which the orders of the two bags differ, not their size.
//
// Waiting is bounded. Before giving up, relieve() promises each topic what is certain: a side
// without such a topic brings nothing, and a side that is past a time brings nothing before it.
// That settles what waits in vain, such as a topic that only one bag has. A message that breaks
// such a promise (the bag is not in time order) ends the comparison with an error, as its
// counterpart may have been reported as missing already.

namespace kitbag {
namespace {

/// Two bags of one recording are apart by a few chunks.
constexpr std::size_t kCompareWaitingBytes = 256 << 20;

}  // namespace

Comparer::Comparer(Source& a, Source& b, bool ignore_time, std::size_t keep,
                   std::size_t limit_bytes)
    : limit_bytes_(limit_bytes) {
  inputs_[kSideA].source = &a;
  inputs_[kSideB].source = &b;
  for (Input& input : inputs_) input.channels = input.source->channels();
  state_.ignore_time = ignore_time;
  state_.keep = keep;
}

Comparison Comparer::run(std::stop_token stop) {
  while (!state_.has_ended[kSideA] || !state_.has_ended[kSideB]) {
    read(behind(), stop);
    if (stop.stop_requested()) throw Error(ErrorCode::cancelled, "the comparison was stopped");
    if (waiting() > limit_bytes_) relieve();
  }
  for (auto& [name, topic] : topics_) topic.finish();
  state_.result.messages_a = inputs_[kSideA].messages;
  state_.result.messages_b = inputs_[kSideB].messages;
  return std::move(state_.result);
}

/// The side to be read next. By bytes, not by time: with times ignored the two may run at
/// different speeds.
Side Comparer::behind() const {
  if (state_.has_ended[kSideA]) return kSideB;
  if (state_.has_ended[kSideB]) return kSideA;
  return state_.waiting[kSideA] <= state_.waiting[kSideB] ? kSideA : kSideB;
}

void Comparer::read(Side side, std::stop_token stop) {
  Input& input = inputs_[side];
  if (!input.source->read(input.batch, Wait{std::move(stop), kNever})) {
    state_.has_ended[side] = true;
    return;
  }
  // A pipe brings channels as it goes, so that a topic may come that one side did not have.
  if (input.batch.channels) input.channels = input.batch.channels;
  for (const Message& message : input.batch.messages()) {
    note_time(input, message.log_time);
    topic_of(input, *message.channel).add(side, message);
  }
  input.batch.clear();
}

/// The first step in time shows the direction of the sources.
void Comparer::note_time(Input& input, Time time) {
  if (!is_direction_known_ && input.messages > 0 && time != input.last) {
    is_direction_known_ = true;
    state_.is_descending = time < input.last;
  }
  ++input.messages;
  input.last = time;
}

TopicComparison& Comparer::topic_of(Input& input, const Channel& channel) {
  if (channel.slot >= input.topics.size()) input.topics.resize(channel.slot + 1);
  TopicComparison*& topic = input.topics[channel.slot];
  if (!topic) topic = &topics_.try_emplace(channel.topic, channel.topic, state_).first->second;
  return *topic;
}

bool Comparer::has_topic(Side side, const std::string& topic) const {
  const Channels& channels = *inputs_[side].channels;
  return std::any_of(channels.begin(), channels.end(),
                     [&](const ChannelPtr& channel) { return channel && channel->topic == topic; });
}

/// Too much waits: what waits for a topic that the other side does not have, or for a time that
/// it has passed, waits in vain.
void Comparer::relieve() {
  for (auto& [name, topic] : topics_) {
    for (Side side : {kSideA, kSideB}) {
      const Input& input = inputs_[side];
      if (!has_topic(side, name)) {
        topic.expect_none(side);
      } else if (!state_.ignore_time && input.messages > 0) {
        topic.expect_none(side, input.last);
      }
    }
  }
  if (waiting() <= limit_bytes_) return;
  throw Error(
      ErrorCode::unsupported,
      fmt::format(
          "the bags differ in order by more than {} MiB of messages; compare fewer topics at once",
          limit_bytes_ >> 20));
}

Comparison compare(Source& a, Source& b, bool ignore_time, std::size_t keep, std::stop_token stop) {
  return Comparer(a, b, ignore_time, keep, kCompareWaitingBytes).run(std::move(stop));
}

}  // namespace kitbag
