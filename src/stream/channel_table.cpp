#include "stream/channel_table.h"

#include <functional>
#include <string_view>

// Channels of several sources are one channel if their topic, encoding, metadata and schema are
// equal: the files of a split recording have the same channels again. The text of the schema is
// compared and not hashed: it may have megabytes, and channels that differ in nothing else are
// rare.

namespace kitbag {

std::size_t ChannelContentHash::operator()(const ChannelPtr& channel) const {
  std::size_t hash = 0;
  auto mix = [&hash](std::string_view text) {
    hash = hash * 0x9E3779B97F4A7C15U + std::hash<std::string_view>{}(text);
  };
  mix(channel->topic);
  mix(channel->encoding);
  mix(channel->type());
  for (const auto& [key, value] : channel->metadata) {
    mix(key);
    mix(value);
  }
  return hash;
}

void ChannelTable::add(const Channels& given, std::vector<const Channel*>& mapped) {
  if (given.size() <= mapped.size()) return;
  auto longer = std::make_shared<Channels>(*channels_);
  mapped.reserve(given.size());
  while (mapped.size() < given.size()) {
    const ChannelPtr& channel = given[mapped.size()];
    mapped.push_back(channel ? intern(channel, *longer) : nullptr);
  }
  if (longer->size() > channels_->size()) channels_ = std::move(longer);
}

const Channel* ChannelTable::intern(const ChannelPtr& channel, Channels& table) {
  auto found = by_content_.find(channel);
  if (found != by_content_.end()) return found->get();
  auto slot = static_cast<std::uint32_t>(table.size());
  ChannelPtr own = channel;
  if (channel->slot != slot) {
    auto moved = std::make_shared<Channel>(*channel);
    moved->slot = slot;
    own = std::move(moved);
  }
  table.push_back(own);
  by_content_.insert(own);
  return own.get();
}

}  // namespace kitbag
