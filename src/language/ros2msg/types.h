#pragma once

#include "kitbag/type.h"
#include "language/ros2msg/parser.h"

namespace kitbag::ros2msg {

/// The type of `name` among `definitions`, and of the few that every ROS 2 knows. Throws Error:
/// not_found for a nested type that is neither, corrupt for types that contain one another.
TypePtr type_of(std::string_view name, const Definitions& definitions);

/// One of those few.
bool is_known(std::string_view name);

/// The definition of `type`, which ros2::adapt() gave, with all that it needs behind it.
std::string print(const Type& type);

}  // namespace kitbag::ros2msg
