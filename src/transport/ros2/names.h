#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kitbag::ros2 {

/// What a topic of DDS is to its users.
struct TopicName {
  std::string topic;  ///< "/odom"; outside ROS as DDS has it
  std::string type;   ///< "nav_msgs/msg/Odometry"; outside ROS as DDS has it
  bool is_ros = false;

  auto operator<=>(const TopicName&) const = default;
};

/// For "rt/odom" and "nav_msgs::msg::dds_::Odometry_"; nothing for the requests and replies of
/// services, and for what middlewares exchange among themselves.
std::optional<TopicName> topic_name(std::string_view dds_topic, std::string_view dds_type);

/// "rt/odom" of "/odom"; names that do not begin with "/" are of DDS itself and stay.
std::string dds_topic(const std::string& topic, bool avoids_ros_conventions = false);
/// "nav_msgs::msg::dds_::Odometry_" of "nav_msgs/msg/Odometry" and "nav_msgs/Odometry"; others
/// stay.
std::string dds_type(const std::string& type);

/// Keys of Channel::metadata for what ROS does not have: the topic has instances by key; its
/// payloads are XCDR2.
inline constexpr const char* kKeyedKey = "dds_keyed";
inline constexpr const char* kRepresentationKey = "dds_representation";
inline constexpr const char* kXcdr2 = "xcdr2";

/// A part of the name begins with "_", as those of actions and service events do.
bool is_hidden(std::string_view topic);

/// The RIHS01 hash in the USER_DATA of an endpoint, "typehash=RIHS01_...;"; or "", also for what
/// cannot be one.
std::string type_hash_in(std::string_view user_data);

/// The USER_DATA of an endpoint of kitbag whose type has that hash; "": it is not known. It is
/// never empty: nodes from Iron on warn of endpoints without any.
std::string endpoint_user_data(std::string_view type_hash);

}  // namespace kitbag::ros2
