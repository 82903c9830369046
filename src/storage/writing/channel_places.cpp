#include "storage/writing/channel_places.h"

#include <algorithm>

namespace kitbag {

std::size_t ChannelPlaces::count_known(const Channels& channels) const {
  if (!declared_) return 0;
  auto is_same = [](const ChannelPtr& a, const ChannelPtr& b) {
    return a == b || (a && b && same_content(*a, *b));
  };
  auto differ = std::mismatch(declared_->begin(), declared_->end(), channels.begin(),
                              channels.end(), is_same);
  return static_cast<std::size_t>(differ.first - declared_->begin());
}

}  // namespace kitbag
