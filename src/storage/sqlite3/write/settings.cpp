#include "storage/sqlite3/write/settings.h"

#include "storage/rosbag2/conventions.h"

namespace kitbag::sqlite3 {

Settings make_settings(const WriteOptions& options) {
  Settings settings;
  rosbag2::Conventions conventions = rosbag2::conventions_of(options);
  settings.schema_version = conventions.schema_version;
  settings.metadata_version = conventions.metadata_version;
  settings.is_resilient = options.preset == "resilient";
  settings.is_compressed = options.compression == "zstd";
  return settings;
}

}  // namespace kitbag::sqlite3
