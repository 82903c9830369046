#pragma once

#include <unordered_set>
#include <vector>

#include "kitbag/message.h"

namespace kitbag {

/// Channels by their content (same_content()), in containers that hash.
struct ChannelContentHash {
  std::size_t operator()(const ChannelPtr& channel) const;
};
struct ChannelContentEqual {
  bool operator()(const ChannelPtr& a, const ChannelPtr& b) const { return same_content(*a, *b); }
};

/// The channels of several sources as one table that only grows. Channels of equal content
/// become one.
class ChannelTable {
 public:
  /// Never null.
  const ChannelsPtr& channels() const { return channels_; }

  /// Adds the table of a source. `mapped` gives for each slot of that source the channel of this
  /// table that stands for it (null: dropped); slots that it already has are not looked at again.
  void add(const Channels& given, std::vector<const Channel*>& mapped);

 private:
  const Channel* intern(const ChannelPtr& channel, Channels& table);

  ChannelsPtr channels_ = std::make_shared<const Channels>();
  std::unordered_set<ChannelPtr, ChannelContentHash, ChannelContentEqual> by_content_;
};

}  // namespace kitbag
