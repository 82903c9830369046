#pragma once

#include <map>
#include <vector>

#include "kitbag/message.h"

namespace kitbag {

/// Where a writer keeps the channels that it was given, by their slots in the batches' table, and
/// by themselves. A channel that is given again, in either way, keeps its place.
class ChannelPlaces {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// Takes over the table of a batch. `add(channel)` makes the place of a channel that has none.
  template <class Add>
  void declare(const ChannelsPtr& channels, Add&& add) {
    if (channels == declared_ || !channels) return;
    by_slot_.resize(count_known(*channels));
    for (std::size_t slot = by_slot_.size(); slot < channels->size(); ++slot) {
      const ChannelPtr& channel = (*channels)[slot];
      by_slot_.push_back(channel ? find(channel, add) : kNone);
    }
    declared_ = channels;
  }
  /// Of a channel of the table.
  std::uint32_t operator[](std::uint32_t slot) const { return by_slot_[slot]; }

  /// For any channel; as declare().
  template <class Add>
  std::uint32_t find(const ChannelPtr& channel, Add&& add) {
    if (last_ != places_.end() && last_->first == channel) return last_->second;
    auto place = places_.find(channel);
    if (place == places_.end()) place = places_.emplace(channel, add(channel)).first;
    last_ = place;
    return place->second;
  }

 private:
  /// How many channels the table begins with that the last one had in the same slots.
  std::size_t count_known(const Channels& channels) const;

  ChannelsPtr declared_;
  std::vector<std::uint32_t> by_slot_;
  std::map<ChannelPtr, std::uint32_t> places_;
  std::map<ChannelPtr, std::uint32_t>::const_iterator last_ = places_.end();
};

}  // namespace kitbag
