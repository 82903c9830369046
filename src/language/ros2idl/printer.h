#pragma once

#include <string>

#include "kitbag/type.h"

namespace kitbag::ros2idl {

/// `type`, which ros2::adapt() gave, with all that it needs in front of it.
std::string print(const Type& type);

}  // namespace kitbag::ros2idl
