#pragma once

#include <memory>

#include "kitbag/message.h"

namespace kitbag::sqlite3 {

/// The topics /a and /b, of strings.
inline ChannelsPtr two_channels() {
  auto channels = std::make_shared<Channels>();
  for (std::uint32_t slot = 0; slot < 2; ++slot) {
    auto channel = std::make_shared<Channel>();
    channel->slot = slot;
    channel->topic = slot == 0 ? "/a" : "/b";
    channel->encoding = "cdr";
    channel->schema =
        std::make_shared<const Schema>(Schema{"std_msgs/msg/String", "ros2msg", "string data\n"});
    channels->push_back(std::move(channel));
  }
  return channels;
}

}  // namespace kitbag::sqlite3
