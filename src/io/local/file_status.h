#pragma once

#include <optional>
#include <string>

#include "kitbag/file_system.h"

namespace kitbag {

/// The status of `path`, through symbolic links; absent: nothing exists there. Throws Error (io) if
/// the system does not say: an existing file would otherwise be overlooked.
std::optional<FileStatus> status_of(const std::string& path);

/// There is a regular file at `path`. Throws as status_of().
bool is_regular_file(const std::string& path);

}  // namespace kitbag
