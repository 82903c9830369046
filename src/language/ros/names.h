#pragma once

#include <string>
#include <string_view>

/// What the languages of ROS 1 and ROS 2 share: names, where definitions are, how bags hold them.
namespace kitbag::ros {

/// A letter, then letters, digits and underscores.
bool is_name(std::string_view text);

/// "Type" or "package/Type", of such names.
bool is_type_name(std::string_view text);

/// "std_msgs/msg/String" of "std_msgs/String", "std_msgs::msg::String" and the name on the wire,
/// "std_msgs::msg::dds_::String_"; `package` stands in where there is none.
std::string full_name(std::string_view name, std::string_view package = {});

/// "std_msgs/String" of "std_msgs/msg/String", as .msg files and bags refer to messages; others as
/// they are.
std::string short_name(std::string_view name);

/// "std_msgs" of "std_msgs/msg/String" and "std_msgs/String".
std::string_view package_of(std::string_view name);

/// `name` without the suffix of a message of a service or an action: "std_srvs/srv/SetBool" for
/// "std_srvs/srv/SetBool_Event".
std::string whole_name(std::string_view name);

/// The folder of a package in which the definition of a message of that name lies: "srv" for
/// "SetBool_Event", "action", or "msg".
std::string_view folder_of(std::string_view name);

}  // namespace kitbag::ros
