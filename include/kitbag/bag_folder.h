#pragma once

#include <string>
#include <vector>

#include "kitbag/export.h"
#include "kitbag/session.h"

// Folders in which somebody collects bags. A directory of rosbag2 is not such a folder: it is one
// bag.

namespace kitbag {

/// Returns whether the folder `path` is one bag: a directory of rosbag2, complete or not. Throws
/// Error (io).
KITBAG_API bool is_bag_directory(const std::string& path, const Session& session);

/// Returns whether `path` is a folder, but not a bag. False for what does not exist and for URIs of
/// transports. Throws Error (io).
KITBAG_API bool is_folder_of_bags(const std::string& path, const Session& session);

/// Returns the paths of the bags in `folder`, sorted; not those in folders below it. What no format
/// recognizes is left out, and so are hidden files and empty ones. A file that cannot be read is
/// part of the result. Throws Error (io).
KITBAG_API std::vector<std::string> bags_in(const std::string& folder, const Session& session);

}  // namespace kitbag
