#pragma once

#include <memory>
#include <string_view>

#include "files/remote/store.h"
#include "kitbag/file_system.h"

namespace kitbag::remote {

/// Returns the file system of `scheme`, "http" or "https". It is read-only and has no folders.
FileSystemPtr http_files(std::string_view scheme, std::shared_ptr<Store> store);

}  // namespace kitbag::remote
