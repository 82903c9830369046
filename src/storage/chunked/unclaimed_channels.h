#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "stream/channel_table.h"

namespace kitbag {

/// The channels of a file that is appended to, until the writer is given channels of the same
/// content, which claim them. Each is claimed once: two channels that say the same stay two.
class UnclaimedChannels {
 public:
  /// A channel of the file, and its place among the writer's.
  void add(const ChannelPtr& channel, std::uint32_t place) {
    equal_[channel].places.push_back(place);
  }
  /// The index of the first one that equals `channel`. Nothing: none is left.
  std::optional<std::uint32_t> claim(const ChannelPtr& channel) {
    auto found = equal_.find(channel);
    if (found == equal_.end()) return std::nullopt;
    Equal& equal = found->second;
    std::uint32_t place = equal.places[equal.claimed++];
    if (equal.claimed == equal.places.size()) equal_.erase(found);
    return place;
  }

 private:
  struct Equal {
    std::vector<std::uint32_t> places;
    std::size_t claimed = 0;  ///< of these, the first ones
  };

  std::unordered_map<ChannelPtr, Equal, ChannelContentHash, ChannelContentEqual> equal_;
};

}  // namespace kitbag
