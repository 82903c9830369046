#pragma once

#include <vector>

#include "kitbag/exporter.h"

namespace kitbag {

/// Writes a table for each topic as `kitbag cat --format csv` prints it. A field that no topic has
/// is an error.
std::vector<Exported> export_csv(ExportJob& job);

}  // namespace kitbag
