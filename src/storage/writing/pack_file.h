#pragma once

#include <string>
#include <string_view>

#include "kitbag/file_system.h"

namespace kitbag {

/// The compression of pack_file(), as stream_compression() names it.
inline constexpr std::string_view kPacking = "zstd";

/// Compresses the file at `from` to a new one at `to`. Throws Error (io).
void pack_file(const FileSystem& files, const std::string& from, const std::string& to);

}  // namespace kitbag
