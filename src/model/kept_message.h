#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kitbag/bag.h"

namespace kitbag {

/// A message out of its batch, in memory of its own. Its channel may go with its source.
struct KeptMessage {
  Message message;  ///< its channel is null
  std::uint32_t slot;
  std::shared_ptr<const std::vector<std::byte>> bytes;

  Time time(TimeField by) const {
    return by == TimeField::publish_time ? message.publish_time : message.log_time;
  }
};

KeptMessage keep(const Message& message);

/// A batch of them in the order of their times, their channels by slot out of `channels`.
Batch batch_of(std::vector<KeptMessage> kept, ChannelsPtr channels, TimeField by);

}  // namespace kitbag
