#pragma once

#include "kitbag/transcode.h"

namespace kitbag::cli {

/// Prints one warning line for each topic of which messages were lost on the way.
void warn_of(const TranscodeReport& report);

}  // namespace kitbag::cli
