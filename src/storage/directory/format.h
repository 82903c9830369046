#pragma once

#include "kitbag/registry.h"

namespace kitbag {

/// Directories of rosbag2: files of one format, and `metadata.yaml`. docs/formats/directory.md.
Format directory_format();

}  // namespace kitbag
