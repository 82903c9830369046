#pragma once

#include <string>

#include "language/ros1msg/parser.h"

namespace kitbag::ros1msg {

/// The sum of a message without fields and constants, whose definition is empty by right.
inline constexpr std::string_view kEmptyMd5 = "d41d8cd98f00b204e9800998ecf8427e";

/// The MD5 sum of the first definition, as ROS has computed it since 0.6 and as bags hold it:
/// 32 lower-case hexadecimal digits. Throws Error: not_found when a nested type is missing,
/// corrupt when types contain one another.
std::string md5sum(const Definitions& definitions);

/// The sum as it was before ROS 0.6 (2009): over the texts as they are, comments and all, each
/// nested type once (roslib/gentools.py: compute_md5_v1). `definitions` in the order in which
/// full_text() puts them.
std::string md5sum_v1(const Definitions& definitions);

}  // namespace kitbag::ros1msg
