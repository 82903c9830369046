#pragma once

#include <cstdint>
#include <vector>

#include "kitbag/rosbag2.h"

namespace kitbag::ros2 {

/// "No limit", in DDS and here.
inline constexpr std::int64_t kUnlimitedNs = INT64_MAX;

/// kUnlimitedNs for each way in which rosbag2 and the middlewares say so.
std::int64_t nanoseconds_of(const rosbag2::QosTime& time);
rosbag2::QosTime qos_time_of(std::int64_t ns);

/// One offer that serves all readers that any of these served: as strict as the strictest. None:
/// ROS's default.
rosbag2::QosProfile merge(const std::vector<rosbag2::QosProfile>& offered);

}  // namespace kitbag::ros2
