#pragma once

#include <vector>

#include "kitbag/registry.h"

namespace kitbag {

/// The export formats that are part of the library: a line for each. They are no part of the
/// standard registry, because they stand on rooms above it.
std::vector<ExportFormat> standard_export_formats();

}  // namespace kitbag
