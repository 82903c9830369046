#include "export/lerobot/camera_video.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "export/lerobot/dataset_files.h"
#include "kitbag/error.h"

// Frame k of a file is shown at k / fps: readers find it by that. The plugin that writes videos
// takes messages and shows them by their times, so each picture becomes a message with such a time.
//
// Readers compare times as float32, which distinguishes less the later it is: a file ends with the
// episode in which it has reached a quarter of an hour.

namespace kitbag::lerobot {
namespace {

constexpr std::uint64_t kMostSeconds = 900;
/// Policies are trained on single frames from anywhere, so decoding must not begin far before.
constexpr unsigned kFramesAKey = 2;

const ExportFormat& mp4_of(const Session& session) {
  const ExportFormat* found = session.find_export_format("mp4");
  if (found && found->stream) return *found;
  throw Error(ErrorCode::not_found, "there is no export format mp4, which cameras as videos need");
}

}  // namespace

Time time_of_row(Time start, std::uint64_t count, unsigned fps) {
  constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
  std::uint64_t whole = count / fps * kNsPerSecond;
  std::uint64_t part = (count % fps * kNsPerSecond + fps / 2) / fps;
  return start + Duration(static_cast<std::int64_t>(whole + part));
}

CameraVideo::CameraVideo(std::string name, unsigned fps, const ExportJob& job)
    : name_(std::move(name)),
      fps_(fps),
      job_(job),
      mp4_(mp4_of(job.session)),
      request_(job.request) {
  request_.video.frames_a_key = kFramesAKey;
  request_.columns.on_error = OnError::stop;
  auto channel = std::make_shared<Channel>();
  channel->topic = name_;
  // The layout of this message is simple enough to be put together in add(), without an encoder.
  channel->encoding = "ros1";
  channel->schema = std::make_shared<Schema>(
      Schema{"sensor_msgs/Image", "ros1msg",
             "uint32 height\nuint32 width\nstring encoding\nuint8 is_bigendian\nuint32 step\n"
             "uint8[] data\n"});
  channels_ = std::make_shared<Channels>(Channels{channel});
}

void CameraVideo::begin() {
  bool is_full = file_ && (file_->size() >= kVideoFileBytes || span_.end / fps_ >= kMostSeconds);
  if (is_full) {
    close();
    ++span_.file;
    span_.end = 0;
  }
  span_.begin = span_.end;
}

void CameraVideo::open(Time time) {
  file_ = job_.folder.create(fmt::format("videos/{}/{}", name_, file_in_chunk(span_.file, ".mp4")));
  video_ = mp4_.stream({name_, {}, request_, job_.session, job_.wait, file_.get()});
  start_ = time;
}

void CameraVideo::add(const Picture& picture, Time time) {
  if (!file_) open(time);
  message_.clear();
  auto append = [&](ByteView bytes) {
    message_.insert(message_.end(), bytes.begin(), bytes.end());
  };
  auto number = [&](std::uint32_t value) { append(std::as_bytes(std::span(&value, 1))); };
  number(picture.height);
  number(picture.width);
  // The encoding, with its length in front; then is_bigendian, step, and the data.
  number(4);
  append(as_bytes(std::string_view("rgb8", 4)));
  message_.push_back(std::byte{0});
  number(picture.width * 3);
  number(static_cast<std::uint32_t>(picture.pixels.size()));
  append(picture.pixels);
  Time shown = time_of_row(start_, span_.end, fps_);
  Message message{channels_->front().get(), 0, 0, shown, shown, message_};
  video_->write(std::span(&message, 1), channels_);
  ++span_.end;
}

void CameraVideo::close() {
  if (!file_) return;
  video_->finish();
  video_.reset();
  written_.size_bytes += file_->size();
  ++written_.files;
  file_->commit();
  file_.reset();
}

Exported CameraVideo::finish() {
  close();
  return written_;
}

}  // namespace kitbag::lerobot
