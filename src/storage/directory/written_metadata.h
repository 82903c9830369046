#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "storage/rosbag2/metadata.h"

namespace kitbag::directory {

/// What was written last as metadata.yaml. A directory of several files is appended to for each:
/// reading what was told of all others every time would take longer with each file. Any thread.
class WrittenMetadata {
 public:
  /// The one of all writers that live.
  static std::shared_ptr<WrittenMetadata> shared();

  /// `metadata` is what was written last, and stands in `folder`.
  void keep(const std::string& folder, rosbag2::BagMetadata metadata);
  /// What metadata.yaml of `folder` says; nothing where that is not the one that was written last,
  /// or not as it was.
  std::optional<rosbag2::BagMetadata> find(const std::string& folder) const;

 private:
  /// Of a file as it is: whatever replaces or changes it has another.
  struct Identity {
    std::uint64_t device = 0;
    std::uint64_t number = 0;
    std::int64_t size = 0;
    std::int64_t modified_ns = 0;
    std::int64_t changed_ns = 0;

    bool operator==(const Identity&) const = default;
  };

  static std::optional<Identity> identity_in(const std::string& folder);

  mutable std::mutex mutex_;
  std::optional<Identity> identity_;
  rosbag2::BagMetadata metadata_;
};

}  // namespace kitbag::directory
