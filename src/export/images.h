#pragma once

#include <vector>

#include "kitbag/exporter.h"

namespace kitbag {

/// A folder of pictures for each topic: JPEG and PNG of the bag as they are, raw images and frames
/// of videos as PNG.
std::vector<Exported> export_images(ExportJob& job);

}  // namespace kitbag
