#pragma once

#include <array>
#include <string>
#include <string_view>

#include "kitbag/file_system.h"

namespace kitbag {

/// What follows the name of a SQLite database in those of its log and of its journal. They hold a
/// part of its content, and make sense only beside it.
inline constexpr std::array<std::string_view, 2> kDatabaseLogs = {"-wal", "-journal"};

/// Returns the status of the file at `path` together with its logs: the sum of their sizes, and the
/// latest time. As long as a log grows, the database itself does not change. Logs in a store are
/// not looked for.
FileStatus with_logs(FileStatus status, const std::string& path, const FileSystem& files);

}  // namespace kitbag
