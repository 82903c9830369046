#pragma once

#include <functional>
#include <optional>
#include <string>

#include "kitbag/file_system.h"
#include "kitbag/record.h"
#include "kitbag/session.h"

namespace kitbag {

/// Old files are deleted: there is a limit on what is kept, or on the free space.
inline bool deletes_files(const RecordTarget& target) {
  return target.keep.any() || target.min_free_bytes > 0;
}

/// The names of a recording's files, one after the other. Until a file is whole kActiveSuffix
/// stands behind its name.
class FileNames {
 public:
  /// `is_many`: there are several files, split or not. If old files are deleted or files are
  /// uploaded, numbers go on from the highest one that is there. Throws Error (invalid) for an
  /// invalid target.
  FileNames(const RecordTarget& target, bool is_many, const Session& session);

  /// Of the files.
  const std::string& format() const { return format_; }
  /// All is one directory, of this path; next() is not asked.
  bool is_directory() const { return is_directory_; }
  const std::string& path() const { return path_; }
  /// There can be a next file beside the first.
  bool is_many() const { return is_many_; }
  /// Where the files lie.
  std::string folder() const;
  /// The path of the file in folder() that is called `name`.
  std::string path_of(const std::string& name) const;
  const FileSystemPtr& file_system() const { return files_; }

  /// The next file, which begins at `now`. An empty file there that a crashed recording has left is
  /// removed, and reported to `on_warning`. Throws Error: exists, if the file exists and may not be
  /// replaced; invalid, if an earlier recording to it was not completed.
  std::string next(Time now, const OnWarning& on_warning = {});
  /// The name under which to write the file that next() has named: `path` with kActiveSuffix, or
  /// `path` itself where files cannot be renamed and appear when they are complete.
  std::string active(const std::string& path) const;
  /// Gives the file begun as `path`, with kActiveSuffix, its final name: `path`, or a similar one
  /// if that exists by now and may not be replaced. Throws Error: busy if the file there is not the
  /// one that was `written`, and io.
  std::string complete(const std::string& path, const FileId& written) const;
  /// The same for what an earlier recording has begun as `path`, and died, and that is whole now.
  /// What is there already is never replaced.
  std::string complete_leftover(const std::string& path) const;
  /// Removes what an earlier recording has begun and died before it wrote anything, and tells
  /// `on_warning`. `path` has kActiveSuffix. True: it has been removed.
  bool remove_if_empty(const std::string& path, const OnWarning& on_warning) const;
  /// `name` is that of a file of a recording like this one.
  bool is_like(const std::string& name) const;

 private:
  bool exists(const std::string& path) const;
  bool is_taken(const std::string& path) const;
  std::size_t index_behind_others() const;
  std::string free_name(const std::string& path) const;
  std::string rename_active(const std::string& path, bool may_replace) const;

  std::string path_;         ///< empty: named by time
  std::string time_folder_;  ///< of files that are named by time; empty: the current one
  FileSystemPtr files_;
  std::string format_;
  std::string extension_;
  bool is_many_;
  bool may_replace_;
  bool is_directory_ = false;
  std::size_t index_ = 0;
  bool has_begun_ = false;
};

}  // namespace kitbag
