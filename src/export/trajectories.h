#pragma once

#include <vector>

#include "kitbag/exporter.h"

namespace kitbag {

/// A file of poses for each topic; of transforms, one for each pair of frames.
std::vector<Exported> export_tum(ExportJob& job);
std::vector<Exported> export_kitti(ExportJob& job);

}  // namespace kitbag
