#pragma once

#include <vector>

#include "export/pose_file.h"
#include "kitbag/exporter.h"

namespace kitbag {

/// Writes where ExportRequest::frame was, by the transforms in all topics: a pose at each stamp of
/// a transform that lies between its two frames. Throws Error: not_found if there are no
/// transforms, or none of these frames; limit if there are too many to be in memory.
std::vector<Exported> export_frame_path(const ExportJob& job, PoseFormat format);

}  // namespace kitbag
