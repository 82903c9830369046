#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cli/context.h"
#include "kitbag/stream.h"

namespace kitbag::cli {

/// Draws on the current line of a terminal.
using Draw = std::function<void(const std::string&)>;

/// A stage that changes nothing and draws how far things are: only what lasts over a second gets a
/// bar, redrawn ten times a second at most and erased at the end. `expected` messages are 100 %.
/// `clock` must outlive it.
std::unique_ptr<Stage> progress(std::uint64_t expected, Clock& clock, Draw draw);

/// `source` with its progress on standard error, when somebody watches there.
std::unique_ptr<Source> watched(std::unique_ptr<Source> source, std::uint64_t expected,
                                const Context& context);

}  // namespace kitbag::cli
