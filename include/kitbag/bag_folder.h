#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kitbag/export.h"
#include "kitbag/file_system.h"
#include "kitbag/paths.h"
#include "kitbag/session.h"

// Folders in which somebody collects bags. A directory of rosbag2 is not such a folder: it is one
// bag.

namespace kitbag {

/// Returns whether the folder `path` is one bag: a directory of rosbag2, complete or not. Throws
/// Error (io).
KITBAG_API bool is_bag_directory(const std::string& path, const Session& session);

/// Returns whether the file `path` is a bag: whether its name ends like one (run.bag), whatever is
/// in it, or a format recognizes its content. `status` is what its folder says of it. Throws Error
/// (io; not_found if it has gone).
KITBAG_API bool is_bag_file(const std::string& path, const FileStatus& status,
                            const Session& session);

/// Returns whether `path` is a folder, but not a bag. False for what does not exist and for URIs of
/// transports. Throws Error (io).
KITBAG_API bool is_folder_of_bags(const std::string& path, const Session& session);

/// Returns the paths of the bags in `folder`, sorted: bag files and bag directories, but
/// not those in folders below it. A file that cannot be read is part of the result; hidden files
/// are not. Throws Error (io).
KITBAG_API std::vector<std::string> bags_in(const std::string& folder, const Session& session);

/// Returns the paths of all bags in `folder` and in the folders below it, sorted. Hidden folders
/// and what bags_in() leaves out are left out. Throws Error (io).
KITBAG_API std::vector<std::string> bags_below(const std::string& folder, const Session& session);

/// The same, with what the lists of the folders say of each bag. A file that has the name of a bag,
/// or that `is_bag` takes for one, is not opened; the others are, which costs a request each in an
/// object store.
KITBAG_API std::vector<FoundPath> bags_below(
    const std::string& folder, const Session& session,
    const std::function<bool(const std::string& path, const FileStatus& status)>& is_bag);

/// Returns the bags in the folder `path` if it opens as one bag although nothing says that they
/// belong together: there is no metadata.yaml, and their names are not one name with the numbers
/// that a recorder gives to the files of a bag (run_0.mcap, run_1.mcap). Empty for everything else.
/// Throws Error (io).
KITBAG_API std::vector<std::string> unrelated_bags_in(const std::string& path,
                                                      const Session& session);

}  // namespace kitbag
