#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cli/context.h"
#include "cli/terminal/status_text.h"
#include "kitbag/stream.h"

namespace kitbag::cli {

/// Draws a line on a terminal; null: erases it.
using Draw = std::function<void(const StatusText*)>;

/// ", 1m 02s left": of work of which `share`, 0 to 1, has taken `elapsed`. Empty where nothing can
/// be said.
std::string time_left(Duration elapsed, double share);

/// A stage that changes nothing and draws how far things are, and how long they will take: only
/// what lasts over a second gets a bar, redrawn ten times a second at most and erased at the end.
/// `expected` messages are 100 %. `clock` must outlive it.
std::unique_ptr<Stage> progress(std::uint64_t expected, Clock& clock, Draw draw);

/// `source` with its progress on standard error, when somebody watches there.
std::unique_ptr<Source> watched(std::unique_ptr<Source> source, std::uint64_t expected,
                                const Context& context);

}  // namespace kitbag::cli
