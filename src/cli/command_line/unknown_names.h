#pragma once

#include <string>

#include "cli/command_line/verb.h"

// What a command line names that does not exist, with the names that may have been meant.

namespace kitbag::cli {

/// "unknown verb "recrod"; similar: record".
std::string unknown_verb_text(const CLI::App& app, const std::string& name);

/// "unknown option --topcs; similar: --topics", where `verb` was given one that it does not have;
/// `otherwise` if what it could not take is no option.
std::string unknown_option_text(const CLI::App& verb, const std::string& otherwise);

}  // namespace kitbag::cli
