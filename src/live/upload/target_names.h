#pragma once

#include <string>

#include "kitbag/time.h"
#include "kitbag/upload.h"

namespace kitbag {

/// What replaces the placeholders that are the same for all files.
struct UploadNames {
  std::string robot;
  std::string host;
};

/// The names of this machine, and of the robot as `options` or KITBAG_ROBOT say. Throws Error
/// (invalid) for a name that cannot be a part of a path.
UploadNames upload_names(const UploadOptions& options);

/// The names of files in the target of uploads, whose placeholders are replaced.
class TargetNames {
 public:
  /// Throws Error (invalid) for an unknown placeholder.
  TargetNames(const std::string& target, const UploadNames& names);

  /// Returns the target with the placeholders that depend on the file: two targets are the same if
  /// this is equal.
  const std::string& pattern() const { return pattern_; }
  /// Returns the part before the first placeholder, a folder with "/" at its end or empty: what
  /// must be there.
  const std::string& base() const { return base_; }
  /// Returns the part that is the same for all files, likewise.
  std::string fixed_part() const { return folder_part(pattern_); }
  /// Returns the path of the file `name` that begins at `begin`.
  std::string path_of(const std::string& name, Time begin) const;
  /// Returns whether the paths depend on the times of files.
  bool has_times() const { return pattern_.find('{') != std::string::npos; }

 private:
  static std::string folder_part(const std::string& target);

  std::string base_;
  std::string pattern_;
};

/// Returns `path` with `mark` behind the name: "x_0-5f3a.mcap". For content that is not the one at
/// `path`.
std::string marked_path(const std::string& path, const std::string& mark);

}  // namespace kitbag
