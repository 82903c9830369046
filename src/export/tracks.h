#pragma once

#include <vector>

#include "kitbag/exporter.h"

namespace kitbag {

/// A file of positions on the Earth for each topic.
std::vector<Exported> export_gpx(ExportJob& job);
std::vector<Exported> export_geojson(ExportJob& job);

}  // namespace kitbag
