#include "catalog/picture_taker.h"

#include <algorithm>
#include <utility>

#include "catalog/succeeds.h"
#include "kitbag/video.h"

// The first picture at or after each of these times is taken, from the start of the bag to its end:
//
//     | 0      | 1      | 2      | 3    ...
//
// An image is decoded as it passes by. A frame of a video cannot be: the times of key frames are
// noted, and finish() reads these again, each with a decoder that begins there.
//
// How large a picture may claim to be grows with the bytes of its message (kMostPixelsOfByte). So a
// few bytes that stand for a huge picture are not decoded.

namespace kitbag::catalog {
namespace {

PictureOptions small(std::uint32_t size) {
  PictureOptions options;
  options.width = size;
  options.height = size;
  return options;
}

/// Calls `read` with smaller and smaller sizes until the file is small enough. Empty: it never was.
template <class Read>
std::vector<std::byte> small_jpeg(const Read& read) {
  for (std::uint32_t size = kPictureSize; size >= kPictureSize / 4; size /= 2) {
    std::vector<std::byte> jpeg = encode_picture(read(size), PictureFormat::jpeg);
    if (jpeg.size() <= kMostPictureBytes) return jpeg;
  }
  return {};
}

}  // namespace

PictureTaker::PictureTaker(const Bag& bag, const Session& session, std::stop_token stop)
    : bag_(bag), session_(session), stop_(std::move(stop)) {
  const Summary& summary = bag.summary();
  by_slot_.resize(summary.channels->size());
  for (std::size_t slot = 0; slot < by_slot_.size(); ++slot) {
    const ChannelPtr& channel = (*summary.channels)[slot];
    if (!channel) continue;
    bool is_video = has_video(*channel, session);
    bool may_be_picture = has_pictures(*channel, session);
    if (!is_video && !may_be_picture) continue;
    auto known = cameras_.find(channel->topic);
    if (known == cameras_.end()) {
      // Each camera has a picture at least, so there may be as many cameras as pictures.
      if (cameras_.size() == kMostPictures) continue;
      succeeds([&] { is_video = has_video(bag, channel->topic, session, {stop_, kNever}); });
      known = cameras_.emplace(channel->topic, Camera{channel->topic, is_video}).first;
    }
    bool fits = known->second.is_video ? may_have_video(*channel, session) : may_be_picture;
    if (fits) by_slot_[slot] = &known->second;
  }
  if (cameras_.empty()) return;
  of_camera_ = std::clamp<std::size_t>(kMostPictures / cameras_.size(), 1, kMostPicturesOfCamera);
}

Time PictureTaker::time_of(std::size_t index) const {
  const Summary& summary = bag_.summary();
  Duration step = saturating_difference(summary.start, summary.end) /
                  static_cast<std::int64_t>(kMostPicturesOfCamera);
  // Of fewer pictures, each stands for as many of these times.
  auto steps = static_cast<std::int64_t>(index * (kMostPicturesOfCamera / of_camera_));
  return saturating_add(summary.start, step * steps);
}

bool PictureTaker::is_wanted(const Camera& camera, Time time) const {
  return camera.next < of_camera_ && camera.broken < kMostBrokenOfCamera &&
         time >= time_of(camera.next);
}

void PictureTaker::skip_to(Time time, Camera& camera) const {
  while (camera.next < of_camera_ && time_of(camera.next) <= time) ++camera.next;
}

void PictureTaker::take(const Message& message) {
  std::size_t slot = message.channel->slot;
  Camera* camera = slot < by_slot_.size() ? by_slot_[slot] : nullptr;
  if (!camera || !is_wanted(*camera, message.log_time)) return;
  camera->is_video ? note_key_frame(message, *camera) : take_picture(message, *camera);
}

void PictureTaker::take_picture(const Message& message, Camera& camera) {
  NewPicture made{message.channel->slot, message.log_time, {}};
  std::uint64_t fitting = kTinyPicturePixels + message.data.size() * kMostPixelsOfByte;
  succeeds([&] {
    made.jpeg = small_jpeg([&](std::uint32_t size) {
      PictureOptions options = small(size);
      options.most_pixels = std::min(kMostPicturePixels, fitting);
      return picture_of(message, options, session_, {stop_, kNever});
    });
  });
  if (made.jpeg.empty()) {
    ++camera.broken;
    return;
  }
  made_.push_back(std::move(made));
  skip_to(message.log_time, camera);
}

void PictureTaker::note_key_frame(const Message& message, Camera& camera) {
  bool is_key = false;
  bool is_frame = succeeds([&] {
    EncodedFrame frame = encoded_frame_of(message, session_);
    is_key = is_key_frame(frame.format, frame.data);
  });
  if (!is_frame) ++camera.broken;
  if (!is_key) return;
  camera.key_frames.push_back({message.channel->slot, message.log_time, {}});
  skip_to(message.log_time, camera);
}

std::vector<NewPicture> PictureTaker::finish() {
  for (auto& [topic, camera] : cameras_) {
    VideoReader reader(topic, session_);
    for (NewPicture& made : camera.key_frames) {
      succeeds([&] {
        made.jpeg = small_jpeg([&](std::uint32_t size) {
          return reader.picture_at(bag_, made.time, small(size), {stop_, kNever}).picture;
        });
      });
      if (!made.jpeg.empty()) made_.push_back(std::move(made));
    }
    camera.key_frames.clear();
  }
  return std::move(made_);
}

}  // namespace kitbag::catalog
