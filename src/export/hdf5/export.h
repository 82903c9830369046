#pragma once

#include <vector>

#include "kitbag/exporter.h"

namespace kitbag::hdf5 {

/// Writes export.h5: a group for each topic, with datasets for its fields.
std::vector<Exported> export_hdf5(ExportJob& job);

}  // namespace kitbag::hdf5
