#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/context.h"

namespace kitbag::cli {

/// What a command line asks for, ready to run; gives the exit code.
using Command = std::function<int(const Context&)>;

/// A command line that was understood.
struct ParsedCommand {
  Command run;
  std::vector<std::string> plugins;  ///< to be loaded before
};

/// Understands the arguments behind the program's name. Asking for help is a command too.
/// Throws Error (invalid) for what makes no sense.
ParsedCommand parse_command(const std::vector<std::string>& arguments);

}  // namespace kitbag::cli
