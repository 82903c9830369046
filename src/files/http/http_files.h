#pragma once

#include <vector>

#include "kitbag/file_system.h"

namespace kitbag::http {

/// The file systems http:// and https://, which share connections and one cache. They are read-only
/// and have no folders.
std::vector<FileSystemPtr> http_file_systems();

}  // namespace kitbag::http
