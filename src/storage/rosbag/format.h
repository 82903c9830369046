#pragma once

#include "kitbag/registry.h"

namespace kitbag {

/// ROS 1 bags, docs/formats/rosbag-2.0.md.
Format rosbag_format();

}  // namespace kitbag
