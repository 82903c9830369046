#pragma once

#include "kitbag/type.h"
#include "language/ros1msg/parser.h"

namespace kitbag::ros1msg {

/// The type of the first definition. Throws Error: not_found for a nested type that is not there,
/// corrupt for types that contain one another.
TypePtr type_of(const Definitions& definitions);

/// What comes nearest to `type` in ROS 1: packages without "msg" between, `time` and `duration`,
/// headers with their counter, wide text as text.
TypePtr adapt(const Type& type);

/// The definition of `type`, which adapt() gave, with all that it needs behind it.
std::string print(const Type& type);

}  // namespace kitbag::ros1msg
