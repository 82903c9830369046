#include "live_system.h"

#include <fmt/format.h>

#include <cstdlib>

#include "kitbag/error.h"

namespace kitbag::cli {

std::string system_of_environment() {
  const char* master = std::getenv("ROS_MASTER_URI");
  return master && *master ? "ros1://" : "ros2://";
}

void throw_invalid_command(const std::string& command, const std::string& there_are) {
  throw Error(ErrorCode::invalid,
              fmt::format("there is no command \"{}\"; there are {}", command, there_are));
}

}  // namespace kitbag::cli
