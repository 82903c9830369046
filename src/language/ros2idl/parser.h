#pragma once

#include "kitbag/message.h"
#include "kitbag/type.h"

namespace kitbag::ros2idl {

/// Throws Error: corrupt with the line, not_found for a type that is not there, unsupported for
/// what no payload of ROS or DDS here has (long double, fixed, map, bitset).
TypePtr parse(const Schema& schema);

}  // namespace kitbag::ros2idl
