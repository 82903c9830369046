#include "storage/directory/written_metadata.h"

#include <sys/stat.h>

#include <utility>

#include "storage/directory/files.h"

namespace kitbag::directory {

namespace {

std::int64_t ns_of(const timespec& time) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  return std::int64_t{time.tv_sec} * kSecond + time.tv_nsec;
}

}  // namespace

// As with the threads that all readers share: nobody owns it, and it goes with its last user.
std::shared_ptr<WrittenMetadata> WrittenMetadata::shared() {
  static std::mutex mutex;
  static std::weak_ptr<WrittenMetadata> last;
  std::lock_guard lock(mutex);
  auto written = last.lock();
  if (!written) last = written = std::make_shared<WrittenMetadata>();
  return written;
}

void WrittenMetadata::keep(const std::string& folder, rosbag2::BagMetadata metadata) {
  auto identity = identity_in(folder);
  std::lock_guard lock(mutex_);
  identity_ = identity;
  metadata_ = std::move(metadata);
}

std::optional<rosbag2::BagMetadata> WrittenMetadata::find(const std::string& folder) const {
  auto identity = identity_in(folder);
  std::lock_guard lock(mutex_);
  if (!identity || identity != identity_) return std::nullopt;
  return metadata_;
}

/// Nothing where it cannot be had: then metadata.yaml is read, and that tells why.
std::optional<WrittenMetadata::Identity> WrittenMetadata::identity_in(const std::string& folder) {
  struct stat status;
  if (::stat((folder + '/' + kMetadataName).c_str(), &status) != 0) return std::nullopt;
  return Identity{status.st_dev, status.st_ino, status.st_size, ns_of(status.st_mtim),
                  ns_of(status.st_ctim)};
}

}  // namespace kitbag::directory
