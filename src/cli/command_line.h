#pragma once

#include <functional>
#include <string>
#include <vector>

#include "context.h"

namespace kitbag::cli {

/// What a command line asks for, ready to run; gives the exit code.
using Command = std::function<int(const Context&)>;

/// Understands the arguments behind the program's name. Asking for help is a command too.
/// Throws Error (invalid) for what makes no sense.
Command parse_command(const std::vector<std::string>& arguments);

}  // namespace kitbag::cli
