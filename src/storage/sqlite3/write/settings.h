#pragma once

#include "kitbag/bag.h"
#include "storage/rosbag2/metadata.h"
#include "storage/sqlite3/tables.h"

namespace kitbag::sqlite3 {

/// What WriteOptions mean for a SQLite bag.
struct Settings {
  int schema_version = kNewestSchema;
  int metadata_version = rosbag2::kCommonMetadata;
  bool is_resilient = false;
  bool is_compressed = false;  ///< each message, by zstd
};

/// Throws Error (invalid) for unknown values.
Settings make_settings(const WriteOptions& options);

}  // namespace kitbag::sqlite3
