#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "kitbag/rosbag2.h"
#include "storage/directory/store.h"

// The channels of a directory are those of its files, each once. Entries of metadata.yaml say how
// many messages a channel has. They name topic, type and QoS, so channels that differ in something
// else share what their entries say by order.

namespace kitbag::directory {

Store::TopicKey Store::key_of(const rosbag2::BagMetadata::Topic& topic) {
  return {topic.name, topic.type};
}

/// A channel for a topic that no file has a channel of, with all that is known about it.
ChannelPtr Store::channel_of(const rosbag2::BagMetadata::Topic& topic, std::uint32_t slot) {
  auto channel = std::make_shared<Channel>();
  channel->slot = slot;
  channel->topic = topic.name;
  channel->encoding = topic.encoding.empty() ? "cdr" : topic.encoding;
  if (!topic.type.empty()) {
    channel->schema = std::make_shared<const Schema>(Schema{topic.type, {}, {}});
  }
  if (!topic.qos.empty()) channel->metadata["offered_qos_profiles"] = topic.qos;
  if (!topic.type_hash.empty()) channel->metadata["topic_type_hash"] = topic.type_hash;
  return channel;
}

std::uint32_t Store::slot_of(const ChannelPtr& channel) {
  auto known = slots_.find(channel);
  if (known != slots_.end()) return known->second;
  auto own = std::make_shared<Channel>(*channel);
  own->slot = static_cast<std::uint32_t>(channels_->size());
  add_channel(std::move(own));
  return static_cast<std::uint32_t>(channels_->size() - 1);
}

void Store::add_channel(ChannelPtr channel) {
  slots_.try_emplace(channel, channel->slot);
  known_topics_.emplace(channel->topic, channel->type());
  channels_->push_back(std::move(channel));
}

void Store::add_channels_of(std::size_t member, const Bag& bag) {
  for (const ChannelPtr& channel : *bag.channels()) {
    if (is_given(member, *channel)) slot_of(channel);
  }
}

/// How many entries of metadata.yaml no channel was found for. Channels of one name and type differ
/// in their QoS, for example.
std::size_t Store::missing_channels() const {
  std::map<TopicKey, std::size_t> found;
  for (const ChannelPtr& channel : *channels_) ++found[{channel->topic, channel->type()}];
  std::size_t missing = 0;
  for (const auto& topic : metadata_.topics) {
    std::size_t& left = found[key_of(topic)];
    left > 0 ? --left : ++missing;
  }
  return missing;
}

/// Collects the channels of the files, and opens no more of them than needed to find all channels
/// that are declared.
void Store::join_channels() {
  if (!is_stale_) {
    for (const auto& [member, bag] : grown_) add_channels_of(member, *bag);
    for (std::size_t i = 0; i < members_.size() && (i == 0 || missing_channels() > 0); ++i) {
      if (held_.contains(i)) continue;
      if (BagPtr bag = open(i)) add_channels_of(i, *bag);
    }
  }
  for (const auto& topic : metadata_.topics) {
    if (known_topics_.contains(key_of(topic))) continue;
    add_channel(channel_of(topic, static_cast<std::uint32_t>(channels_->size())));
  }
}

/// If several entries have the same name and type, their QoS distinguishes them; if that is the
/// same, too, their order does.
void Store::count_channels() {
  summary_.message_counts.assign(channels_->size(), 0);
  rosbag2::QosForm form = rosbag2::qos_form(metadata_.version);
  std::map<TopicKey, std::vector<std::uint32_t>> free;
  for (const ChannelPtr& channel : *channels_) {
    free[{channel->topic, channel->type()}].push_back(channel->slot);
  }
  auto count = [&](std::vector<std::uint32_t>& slots, std::size_t which, std::uint64_t messages) {
    summary_.message_counts[slots[which]] = messages;
    slots.erase(slots.begin() + static_cast<std::ptrdiff_t>(which));
  };
  std::vector<const rosbag2::BagMetadata::Topic*> others;
  for (const auto& topic : metadata_.topics) {
    auto& slots = free[key_of(topic)];
    auto has_qos = [&](std::uint32_t slot) {
      return rosbag2::qos_of(*(*channels_)[slot], form) == topic.qos;
    };
    auto found = slots.size() > 1 ? std::find_if(slots.begin(), slots.end(), has_qos) : slots.end();
    if (found == slots.end()) {
      others.push_back(&topic);
    } else {
      count(slots, static_cast<std::size_t>(found - slots.begin()), topic.messages);
    }
  }
  for (const auto* topic : others) {
    auto& slots = free[key_of(*topic)];
    if (!slots.empty()) count(slots, 0, topic->messages);
  }
}

}  // namespace kitbag::directory
