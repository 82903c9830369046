#pragma once

#include <filesystem>
#include <optional>

#include "io/local/write_lock.h"
#include "kitbag/leave.h"

namespace kitbag {

/// A new folder that is to become `target`: a hidden one beside it, as a StagedFile is for a file,
/// removed with all that is in it if it goes before publish().
class StagedFolder {
 public:
  /// What crashed writers of `target` have left is removed, and reported to `on_warning`. Throws
  /// Error (io; not_found: there is no folder to make it in).
  StagedFolder(std::filesystem::path target, const OnWarning& on_warning, unsigned mode = 0777);
  StagedFolder(const StagedFolder&) = delete;
  StagedFolder& operator=(const StagedFolder&) = delete;
  ~StagedFolder();

  const std::filesystem::path& path() const { return path_; }
  /// Gives it its name; nothing may be there but an empty folder. Written to the disk. Throws Error
  /// (io).
  void publish();

 private:
  explicit StagedFolder(std::filesystem::path target) : target_(std::move(target)) {}

  std::filesystem::path target_;
  std::filesystem::path path_;  ///< empty: it has become the target
  std::optional<OnLeave> on_leave_;
  Descriptor lock_;  ///< so that nobody removes it as a leftover
};

/// Makes the folder `target` itself, if it is not there. Throws Error (io, not_found).
void make_folder(const std::filesystem::path& target);

}  // namespace kitbag
