#pragma once

#include <cstddef>
#include <string>

#include "cli/command_line/verb.h"

namespace kitbag::cli {

/// The widest that help is: wider lines are hard to read.
inline constexpr std::size_t kMostHelpColumns = 100;

/// What `kitbag --help` prints, or with `shows_all` `kitbag --help-all`, for a terminal of
/// `columns`.
std::string program_help(const CLI::App& app, bool shows_all,
                         std::size_t columns = kMostHelpColumns);

/// What `kitbag VERB --help` prints: the common options and how to see all, or everything if it
/// fits on a screen. With `shows_all`, what `kitbag VERB --help-all` prints.
std::string verb_help(const Verb& verb, bool shows_all, std::size_t columns = kMostHelpColumns);

}  // namespace kitbag::cli
