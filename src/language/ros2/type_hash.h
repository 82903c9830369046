#pragma once

#include <string>

#include "kitbag/type.h"

namespace kitbag::ros2 {

/// "RIHS01_" and 64 hexadecimal digits: SHA-256 of the description of `type` and of all types that
/// it refers to, as JSON without defaults (REP 2016; rosidl_generator_type_description). Empty for
/// what ROS 2 cannot describe, such as unions.
std::string type_hash(const Type& type);

}  // namespace kitbag::ros2
