#pragma once

#include <vector>

#include "kitbag/exporter.h"

namespace kitbag {

/// Writes a dataset of LeRobot, version 3.0, that ExportRequest::dataset describes.
std::vector<Exported> export_lerobot(ExportJob& job);

}  // namespace kitbag
