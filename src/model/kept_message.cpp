#include "model/kept_message.h"

#include <algorithm>
#include <utility>

namespace kitbag {

KeptMessage keep(const Message& message) {
  auto bytes =
      std::make_shared<const std::vector<std::byte>>(message.data.begin(), message.data.end());
  KeptMessage kept{message, message.channel->slot, bytes};
  kept.message.channel = nullptr;
  kept.message.data = *bytes;
  return kept;
}

Batch batch_of(std::vector<KeptMessage> kept, ChannelsPtr channels, TimeField by) {
  std::stable_sort(kept.begin(), kept.end(), [by](const KeptMessage& a, const KeptMessage& b) {
    return a.time(by) < b.time(by);
  });
  Batch batch;
  for (KeptMessage& each : kept) {
    each.message.channel = (*channels)[each.slot].get();
    batch.keep(each.bytes, each.bytes->size());
    batch.add(each.message);
  }
  batch.channels = std::move(channels);
  return batch;
}

}  // namespace kitbag
