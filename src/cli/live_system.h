#pragma once

#include <string>

namespace kitbag::cli {

/// The live system that is meant where none is named: "ros1://" where ROS_MASTER_URI is set, else
/// "ros2://".
std::string system_of_environment();

/// Throws Error (invalid) for a command that `there_are` does not have.
[[noreturn]] void throw_invalid_command(const std::string& command, const std::string& there_are);

}  // namespace kitbag::cli
