#pragma once

#include <string>

#include "kitbag/codec.h"

namespace kitbag::ros2msg {

/// As DefinitionFiles::full_text, as rosbag2 writes it: depth first, each once, under
/// `MSG: package/Type`. The few types that every ROS 2 knows may be missing.
std::string full_text(const std::string& name, const std::string& text, const FindText& find);

}  // namespace kitbag::ros2msg
