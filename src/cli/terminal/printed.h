#pragma once

#include <memory>

#include "cli/context.h"
#include "cli/terminal/printing.h"
#include "kitbag/print.h"

namespace kitbag::cli {

/// Throws Error (invalid) if fields are selected of what has none, or a format of times for what
/// does not show them so.
void require_fields_fit(const PrintOptions& options, bool as_digest = false);

/// A sink that prints messages to standard output. `context` and `report` must outlive it. Throws
/// as require_fields_fit().
std::unique_ptr<Sink> printer_to(const Context& context, PrintingOptions options,
                                 TranscodeReport& report);

/// The same for somebody who is looking at it: what is printed is passed on after each batch.
std::unique_ptr<Sink> prompt_to(const Context& context, PrintingOptions options,
                                TranscodeReport& report);

}  // namespace kitbag::cli
