#pragma once

#include <string>

#include "kitbag/message.h"

namespace kitbag::rosbag {

/// The MD5 sum that a bag has for the channel: what its metadata says, else that of its definition,
/// else "*". ROS compares it with that of its own definition.
std::string md5sum_of(const Channel& channel);

}  // namespace kitbag::rosbag
