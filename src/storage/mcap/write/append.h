#pragma once

#include <memory>
#include <string>

#include "storage/mcap/write/writer.h"

namespace kitbag::mcap {

/// Goes on behind the file at `path`. Throws Error (unsupported) for one without a whole summary.
std::unique_ptr<Writer> append_to(const std::string& path, const WriteOptions& options,
                                  const FileSystem& files);

}  // namespace kitbag::mcap
