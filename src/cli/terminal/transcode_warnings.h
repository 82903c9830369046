#pragma once

#include <string>

#include "kitbag/transcode.h"

namespace kitbag::cli {

/// Prints one warning line for each topic of which messages were lost on the way, behind `about`.
void warn_of(const TranscodeReport& report, const std::string& about = {});

}  // namespace kitbag::cli
