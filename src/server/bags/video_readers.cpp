#include "server/bags/video_readers.h"

#include <utility>

// Two people may watch one video at two places, so a video may have several readers. While a
// request uses one, it is out of the list.

namespace kitbag::server {
namespace {

/// Another one for each content: a recording only grows, another bag is replaced as a whole.
std::string content_of(const BagEntry& entry) {
  return entry.is_recording ? entry.identity : entry.identity + " " + entry.version;
}

}  // namespace

TimedPicture VideoReaders::picture_at(const BagEntry& entry, const Bag& bag,
                                      const std::string& topic, Time time,
                                      const PictureOptions& options, const Wait& wait) {
  std::string content = content_of(entry);
  std::optional<Kept> own = take(content, topic, time);
  if (!own) own = Kept{content, topic, VideoReader(topic, session_)};
  TimedPicture found = own->reader.picture_at(bag, time, options, wait);
  keep(std::move(*own));
  return found;
}

std::optional<VideoReaders::Kept> VideoReaders::take(const std::string& bag,
                                                     const std::string& topic, Time time) {
  std::lock_guard lock(mutex_);
  auto best = kept_.end();
  for (auto each = kept_.begin(); each != kept_.end(); ++each) {
    if (each->bag != bag || each->topic != topic) continue;
    auto position = each->reader.position();
    // A decoder only goes forward. The nearest one in front has the fewest frames to decode.
    if (!position || *position > time) continue;
    if (best == kept_.end() || *position > *best->reader.position()) best = each;
  }
  if (best == kept_.end()) return std::nullopt;
  Kept taken = std::move(*best);
  kept_.erase(best);
  return taken;
}

void VideoReaders::keep(Kept reader) {
  if (!reader.reader.position()) return;
  std::lock_guard lock(mutex_);
  kept_.push_front(std::move(reader));
  if (kept_.size() > capacity_) kept_.pop_back();
}

}  // namespace kitbag::server
