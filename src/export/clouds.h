#pragma once

#include <vector>

#include "kitbag/exporter.h"

namespace kitbag {

/// A folder of point clouds for each topic, a file for each message.
std::vector<Exported> export_pcd(ExportJob& job);
std::vector<Exported> export_ply(ExportJob& job);

}  // namespace kitbag
