#pragma once

#include "kitbag/type.h"

namespace kitbag::ros2 {

/// What comes nearest to `type` in ROS 2: names with "msg" between package and type, times as
/// builtin_interfaces, headers without a counter. Throws Error (unsupported) for what a .msg file
/// cannot say.
TypePtr adapt(const Type& type);

/// builtin_interfaces/msg/Time or Duration.
const Type& add_time(TypeBuilder& builder, Role role);
/// What a structure of that full name is to other languages.
Role role_of(std::string_view full_name);

}  // namespace kitbag::ros2
