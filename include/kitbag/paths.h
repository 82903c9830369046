#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "kitbag/export.h"
#include "kitbag/file_system.h"
#include "kitbag/session.h"

// One path may stand for many files: it is a glob or a folder. A shell expands globs of the files
// of this machine; those of other file systems reach kitbag as they were typed.
//
// In a glob, `*` and `?` match any characters but `/`, `[...]` is a set, and a part `**` is any
// number of folders. Names that begin with a dot are matched only by a part that does, too.

namespace kitbag {

/// A file or folder that was found.
struct FoundPath {
  std::string path;   ///< as it can be opened
  FileStatus status;  ///< of what is there
};

/// Returns the name of the file at a path or URI, without folders: of an address on a web server
/// without parameters and %XX; of a folder without "/" at its end. Empty if there is none.
KITBAG_API std::string name_at(const std::string& path);

/// Returns `name` with the extension of bags of that format: "run.mcap" for "run.bag.gz" and the
/// format "mcap". For a format that is empty or not known, only the extension of a file that is
/// compressed as a whole is left out: "run.bag". A folder is a bag of files and keeps its name; the
/// result ends with "/".
KITBAG_API std::string name_in_format(const std::string& name, const std::string& format,
                                      bool is_folder, const Session& session);

/// Returns whether `path` is a glob: it has `*`, `?` or `[`, is a path in a file system that has
/// folders, and nothing has exactly this name. Throws Error (io).
KITBAG_API bool is_path_glob(const std::string& path, const Session& session);

/// Returns the files and folders that match `glob`, sorted by path; those that only `**` leads to
/// are folders only if there are files in them. Throws Error: io; cancelled on `stop`.
KITBAG_API std::vector<FoundPath> matching_paths(const std::string& glob, const Session& session,
                                                 const std::stop_token& stop = {});

/// Returns `paths` with the matches of each glob in its place. Throws Error: not_found if nothing
/// matches a glob; io; cancelled on `stop`.
KITBAG_API std::vector<std::string> expanded_paths(const std::vector<std::string>& paths,
                                                   const Session& session,
                                                   const std::stop_token& stop = {});

/// Returns what `path` stands for, sorted by path: the matches of a glob, what is in a folder, a
/// file itself. With `is_recursive`, folders stand for all files below them. In folders, names that
/// begin with a dot are left out. Throws Error: not_found if nothing is there or matches; io;
/// cancelled on `stop`.
KITBAG_API std::vector<FoundPath> list_files(const std::string& path, bool is_recursive,
                                             const Session& session,
                                             const std::stop_token& stop = {});

/// Makes a folder of `files`, and those above it that are missing; those that are there stay as
/// they are. Throws Error (io, unsupported).
KITBAG_API void make_folders(const std::string& folder, const FileSystem& files);

}  // namespace kitbag
