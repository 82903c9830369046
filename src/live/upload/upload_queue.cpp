#include "live/upload/upload_queue.h"

#include <algorithm>

#include "base/path.h"

// A folder of rosbag2 is complete in the target when its metadata.yaml is there. So a file that is
// `is_last` waits until no other file of its folder is in the queue; all others go in their order.
// A list, since the uploader keeps a pointer to an item while it sends it and others are added.

namespace kitbag {

bool UploadQueue::add(const UploadFile& file, const std::string& path, std::uint64_t bytes) {
  if (!paths_.insert(path).second) return false;
  items_.push_back({file, path, bytes});
  bytes_ += bytes;
  return true;
}

/// As long as another file of its folder is on its way.
bool UploadQueue::must_wait(const Item& item) const {
  if (!item.file.is_last) return false;
  std::string_view folder = parent_folder(item.path);
  return std::any_of(items_.begin(), items_.end(), [&](const Item& other) {
    return !other.file.is_last && parent_folder(other.path) == folder;
  });
}

UploadQueue::Item* UploadQueue::first() {
  auto found = std::find_if(items_.begin(), items_.end(),
                            [this](const Item& item) { return !must_wait(item); });
  return found == items_.end() ? nullptr : &*found;
}

std::list<UploadQueue::Item>::iterator UploadQueue::place_of(const Item* item) {
  return std::find_if(items_.begin(), items_.end(),
                      [item](const Item& each) { return &each == item; });
}

void UploadQueue::remove(Item* item) {
  bytes_ -= item->bytes;
  paths_.erase(item->path);
  items_.erase(place_of(item));
}

void UploadQueue::put_last(Item* item) {
  items_.splice(items_.end(), items_, place_of(item));
}

}  // namespace kitbag
