#pragma once

#include <string>

#include "cli/command_line/verb.h"

namespace kitbag::cli {

/// What `kitbag --help` prints, or with `shows_all` `kitbag --help-all`.
std::string program_help(const CLI::App& app, bool shows_all);

/// What `kitbag VERB --help` prints: the common options and how to see all, or everything if it
/// fits on a screen. With `shows_all`, what `kitbag VERB --help-all` prints.
std::string verb_help(const Verb& verb, bool shows_all);

}  // namespace kitbag::cli
