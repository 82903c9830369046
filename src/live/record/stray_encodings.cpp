#include "live/record/stray_encodings.h"

#include <fmt/format.h>

#include <utility>

#include "kitbag/escape.h"

// The first encoding of a topic wins, for the whole recording and over all of its files. To open a
// second file for the other encoding would be no help: a topic has one encoding in a rosbag2
// directory too, and players would meet both.
//
// Channels that are left out become empty places of the table, so slots stay as they are. Warnings
// are limited by the number of topics, because a sender may make up new ones.

namespace kitbag {

namespace {

/// More are counted, but not reported one by one.
constexpr std::size_t kMostReportedTopics = 20;

}  // namespace

void StrayEncodings::drop(Batch& batch) {
  if (batch.channels && batch.channels != seen_) declare(batch.channels);
  if (!has_strays_) return;
  if (batch.channels) batch.channels = kept_;
  batch.drop_if([this](const Message& message) {
    if (!is_stray_[message.channel->slot]) return false;
    ++dropped_[message.channel->topic];
    return true;
  });
}

void StrayEncodings::declare(const ChannelsPtr& channels) {
  seen_ = channels;
  for (std::size_t slot = is_stray_.size(); slot < channels->size(); ++slot) {
    const Channel* channel = (*channels)[slot].get();
    is_stray_.push_back(false);
    if (!channel) continue;
    const std::string& kept = encodings_.emplace(channel->topic, channel->encoding).first->second;
    if (kept == channel->encoding) continue;
    is_stray_.back() = true;
    has_strays_ = true;
    if (!dropped_.contains(channel->topic)) tell(*channel, kept);
  }
  if (!has_strays_) return;
  Channels table = *channels;
  for (std::size_t slot = 0; slot < table.size(); ++slot) {
    if (is_stray_[slot]) table[slot] = nullptr;
  }
  kept_ = std::make_shared<const Channels>(std::move(table));
}

void StrayEncodings::tell(const Channel& channel, const std::string& kept) {
  dropped_.emplace(channel.topic, 0);
  if (!tell_ || dropped_.size() > kMostReportedTopics) return;
  tell_(Error(
      ErrorCode::unsupported,
      fmt::format("topic {} has messages in two encodings, \"{}\" and \"{}\", but a bag holds one "
                  "encoding per topic; messages in the second encoding are dropped and counted",
                  escaped(channel.topic), escaped(kept), escaped(channel.encoding))));
}

}  // namespace kitbag
