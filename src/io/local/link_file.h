#pragma once

#include <string>

namespace kitbag {

/// Gives the file at `path` a second name. A symbolic link is followed. Returns false if `to`
/// exists or the disk's file system has no second names.
bool link_file(const std::string& path, const std::string& to);

}  // namespace kitbag
