#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "kitbag/file_system.h"
#include "storage/rosbag2/metadata.h"

namespace kitbag::directory {

/// What was last written as metadata.yaml. A directory of several files is appended to for each:
/// reading the entries of all others every time would take longer with each file. Any thread.
class WrittenMetadata {
 public:
  /// The one of all writers that live.
  static std::shared_ptr<WrittenMetadata> shared();

  /// Remembers `metadata`, which was just written in `folder`. Where others may have replaced the
  /// file since, `staged` is the file as it was before it got its name: if another one has it now,
  /// nothing is remembered.
  void keep(const FileSystem& files, const std::string& folder, rosbag2::BagMetadata metadata,
            const std::optional<FileStatus>& staged = std::nullopt);
  /// What metadata.yaml of `folder` says; nothing where that is not the one that was written last,
  /// or not as it was.
  std::optional<rosbag2::BagMetadata> find(const FileSystem& files,
                                           const std::string& folder) const;

 private:
  mutable std::mutex mutex_;
  std::optional<FileStatus> status_;  ///< of the file as it was written
  rosbag2::BagMetadata metadata_;
};

}  // namespace kitbag::directory
