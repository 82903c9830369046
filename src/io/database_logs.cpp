#include "io/database_logs.h"

#include <algorithm>

namespace kitbag {

FileStatus with_logs(FileStatus status, const std::string& path, const FileSystem& files) {
  if (!files.is_local() || !status.is_regular) return status;
  for (std::string_view ending : kDatabaseLogs) {
    auto log = files.status(path + std::string(ending));
    if (!log || !log->is_regular) continue;
    status.size_bytes += log->size_bytes;
    status.modified = std::max(status.modified, log->modified);
  }
  return status;
}

}  // namespace kitbag
