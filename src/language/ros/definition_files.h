#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kitbag/codec.h"

namespace kitbag::ros {

/// Of DefinitionFiles, what is the same in ROS 1 and ROS 2: `place`, `folders` and `later_names`.
DefinitionFiles definition_files();

/// Of "std_msgs/String" and "std_msgs/msg/String" String.msg, of "std_srvs/srv/SetBool_Event" the
/// file of the service as a whole. Nothing for what is no name of a type.
std::optional<DefinitionPlace> definition_place(const std::string& name);

/// What became of "rostools/Header": "roslib/Header", then "std_msgs/Header".
std::vector<std::string> later_names(const std::string& name);

}  // namespace kitbag::ros
