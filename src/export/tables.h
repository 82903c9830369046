#pragma once

#include <vector>

#include "kitbag/exporter.h"

namespace kitbag {

/// Formats that write a table for each topic: a row for each message, with the column `time` and
/// the fields. A field that no topic has is an error.
std::vector<Exported> export_parquet(ExportJob& job);
std::vector<Exported> export_arrow(ExportJob& job);

}  // namespace kitbag
