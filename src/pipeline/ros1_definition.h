#pragma once

#include <string>

#include "kitbag/message.h"

namespace kitbag {

/// What a ROS 1 bag says where the MD5 sum is not known.
inline constexpr const char* kAnyMd5 = "*";

/// The MD5 sum of a ROS 1 channel, in lower case; "*" where there is none.
std::string md5sum_of(const Channel& channel);

/// A ROS 1 channel whose bag holds no definition of its type; messages without fields need none.
bool lacks_definition(const Channel& channel);

/// A ROS 1 bag may hold messages whose type nobody wrote down.
bool has_known_type(const Channel& channel);

}  // namespace kitbag
