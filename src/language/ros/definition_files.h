#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kitbag/codec.h"

namespace kitbag::ros {

/// The members of DefinitionFiles that are the same in ROS 1 and ROS 2: `place`, `folders` and
/// `later_names`.
DefinitionFiles definition_files();

/// String.msg for "std_msgs/String" and "std_msgs/msg/String"; the file of the whole service for
/// "std_srvs/srv/SetBool_Event". Nothing if this is not the name of a type.
std::optional<DefinitionPlace> definition_place(const std::string& name);

/// The later names of "rostools/Header": "roslib/Header", then "std_msgs/Header".
std::vector<std::string> later_names(const std::string& name);

}  // namespace kitbag::ros
