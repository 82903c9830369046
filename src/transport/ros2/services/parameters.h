#pragma once

#include <map>
#include <string>
#include <vector>

#include "transport/ros2/services/service.h"

namespace kitbag::ros2 {

/// The services of the parameters of a node, which are these, and which nobody may set. Those of
/// kitbag's nodes are true or false.
std::vector<Service> parameter_services(const std::map<std::string, bool>& parameters);

}  // namespace kitbag::ros2
