#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <string>

#include "kitbag/bag.h"
#include "kitbag/picture.h"
#include "kitbag/session.h"
#include "kitbag/video.h"
#include "server/bags/bag_list.h"

namespace kitbag::server {

/// The videos that were decoded last, with their decoders: who plays one asks for frame after
/// frame, and going on costs one frame, not all since the last key frame. They keep no bag open.
/// Any thread.
class VideoReaders {
 public:
  /// `capacity` is a number of decoders.
  VideoReaders(std::size_t capacity, const Session& session)
      : capacity_(capacity), session_(session) {}

  /// As VideoReader::picture_at(). `bag` is that of `entry`.
  TimedPicture picture_at(const BagEntry& entry, const Bag& bag, const std::string& topic,
                          Time time, const PictureOptions& options, const Wait& wait);

 private:
  struct Kept {
    std::string bag;
    std::string topic;
    VideoReader reader;
  };

  /// The one that has the least to decode until `time`, which no other request has meanwhile.
  std::optional<Kept> take(const std::string& bag, const std::string& topic, Time time);
  void keep(Kept reader);

  std::size_t capacity_;
  Session session_;
  std::mutex mutex_;
  std::list<Kept> kept_;  ///< the one that was used last is the first
};

}  // namespace kitbag::server
