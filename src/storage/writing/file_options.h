#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kitbag/bag.h"
#include "kitbag/file_system.h"

namespace kitbag {

class Session;

/// Returns the part of WriteOptions that concerns the file itself.
WriteFileOptions file_options(const WriteOptions& options);

/// Begins the file of a bag at `path`, whose first `rewritten_bytes` will be rewritten when the
/// rest has been written. Throws Error: unsupported if the file system cannot do that.
std::unique_ptr<WriteFile> create_bag_file(const std::string& path, const WriteOptions& options,
                                           const Session& session,
                                           std::uint64_t rewritten_bytes = 0);

}  // namespace kitbag
