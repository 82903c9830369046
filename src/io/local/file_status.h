#pragma once

#include <optional>
#include <string>

#include "kitbag/file_system.h"

namespace kitbag {

/// What is at `path`, through symbolic links; absent: nothing is. Throws Error (io) where the
/// system does not tell, which must not be taken for absence: what is there would be passed over.
std::optional<FileStatus> status_of(const std::string& path);

/// There is a regular file at `path`. Throws as status_of().
bool is_regular_file(const std::string& path);

}  // namespace kitbag
