#include "storage/directory/written_metadata.h"

#include <utility>

#include "base/path.h"
#include "base/shared_in_process.h"
#include "storage/directory/files.h"

namespace kitbag::directory {

// As with the threads that all readers share: nobody owns it, and it goes with its last user.
std::shared_ptr<WrittenMetadata> WrittenMetadata::shared() {
  static SharedInProcess<WrittenMetadata> last;
  return last.get([] { return std::make_shared<WrittenMetadata>(); });
}

void WrittenMetadata::keep(const FileSystem& files, const std::string& folder,
                           rosbag2::BagMetadata metadata, const std::optional<FileStatus>& staged) {
  auto status = files.status(join(folder, kMetadataName));
  bool is_other = staged && status &&
                  (status->id != staged->id || status->size_bytes != staged->size_bytes ||
                   status->modified != staged->modified);
  if (is_other) return;
  std::lock_guard lock(mutex_);
  status_ = status;
  metadata_ = std::move(metadata);
}

std::optional<rosbag2::BagMetadata> WrittenMetadata::find(const FileSystem& files,
                                                          const std::string& folder) const {
  auto status = files.status(join(folder, kMetadataName));
  std::lock_guard lock(mutex_);
  bool is_known = status && status->id != FileId() && status == status_;
  if (!is_known) return std::nullopt;
  return metadata_;
}

}  // namespace kitbag::directory
