#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/context.h"

namespace kitbag::cli {

/// Runs what a command line asks for. Returns the exit code.
using Command = std::function<int(const Context&)>;

/// A parsed command line.
struct ParsedCommand {
  Command run;
  std::vector<std::string> plugins;  ///< to load before the command runs
};

/// Parses the arguments after the name of the program. A request for help is a command too. Throws
/// Error (invalid) for invalid arguments.
ParsedCommand parse_command(const std::vector<std::string>& arguments);

}  // namespace kitbag::cli
