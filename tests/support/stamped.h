#pragma once

namespace kitbag::test {

/// The definition of a type of ROS 1 that is a header and nothing else.
inline constexpr const char* kStamped =
    "Header header\n"
    "================================================================================\n"
    "MSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n";

}  // namespace kitbag::test
