#pragma once

#include <string>
#include <string_view>

/// What the languages of ROS 2 share: names, type hashes, and what other worlds' types become.
namespace kitbag::ros2 {

/// "std_msgs/msg/String" of "std_msgs/String", "std_msgs::msg::String" and the name on the wire,
/// "std_msgs::msg::dds_::String_"; `package` stands in where there is none.
std::string full_name(std::string_view name, std::string_view package = {});

/// "std_msgs/String" of "std_msgs/msg/String", as .msg files and bags refer to messages; others as
/// they are.
std::string short_name(std::string_view name);

/// "std_msgs" of "std_msgs/msg/String".
std::string_view package_of(std::string_view full_name);

}  // namespace kitbag::ros2
