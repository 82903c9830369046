#pragma once

#include "kitbag/registry.h"

namespace kitbag {

/// SQLite bags of rosbag2. docs/formats/sqlite3.md.
Format sqlite3_format();

}  // namespace kitbag
