#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kitbag {

/// What is at a path.
struct FileStatus {
  bool is_regular = false;
  bool is_folder = false;
  std::uint64_t size_bytes = 0;
};

/// What is at `path`, through symbolic links; absent: nothing is. Throws Error (io) where the
/// system does not tell, which must not be taken for absence: what is there would be passed over.
std::optional<FileStatus> status_of(const std::string& path);

/// There is a regular file at `path`. Throws as status_of().
bool is_regular_file(const std::string& path);

}  // namespace kitbag
