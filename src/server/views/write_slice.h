#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "kitbag/message.h"
#include "kitbag/session.h"
#include "server/api/served.h"
#include "server/slices/slice.h"

namespace kitbag::server {

/// Throws Error (invalid) if one of the channels cannot be converted to ROS 1, with the reason.
void require_ros1(const std::vector<ChannelPtr>& channels, const Session& session);

/// Writes the messages of `reader` to a rosbag V2.0 at `path`, in the encoding of ROS 1. A metadata
/// record "damage" lists what is damaged, and what cannot be converted. `grown` is called with the
/// size so far, and may throw. Throws Error: limit for a slice beyond the limits, cancelled when
/// `stop` is requested.
void write_slice(SliceReader& reader, const std::string& path,
                 const std::function<void(std::uint64_t bytes)>& grown, const std::stop_token& stop,
                 const WorkLimits& limits, const Session& session);

}  // namespace kitbag::server
