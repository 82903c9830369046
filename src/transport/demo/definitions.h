#pragma once

#include <string>

namespace kitbag::demo {

/// The definition of a ROS 1 message that the demo sends, with all that it needs behind it.
std::string definition(const std::string& type);

}  // namespace kitbag::demo
