#include "video/libav/encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "kitbag/error.h"
#include "video/libav/picture_encoder.h"

// Each picture is a message, so the encoder gives its frame before the next picture comes: there
// are no B-frames, nothing is looked at beforehand, and no other thread holds frames back. Key
// frames are asked for by the times of the pictures, since nobody knows how many a second there
// will be. Its clock has microseconds and only goes forward, whatever the times of messages do.

namespace kitbag::libav {
namespace {

constexpr int kTicksPerSecond = 1'000'000;
constexpr unsigned kNoLimit = 1 << 20;  ///< of frames between key frames

PictureEncoding settings_of(std::string_view format, const VideoEncoding& encoding) {
  PictureEncoding settings;
  settings.format = format;
  settings.width = encoding.width;
  settings.height = encoding.height;
  settings.ticks_per_second = kTicksPerSecond;
  settings.crf = encoding.crf;
  settings.bits_per_second = encoding.bits_per_second;
  settings.preset = encoding.preset;
  settings.frames_a_key = kNoLimit;
  settings.gives_at_once = true;
  return settings;
}

class Encoder final : public VideoEncoder {
 public:
  Encoder(std::string_view format, const VideoEncoding& encoding)
      : encoder_(settings_of(format, encoding)),
        key_interval_(encoding.key_interval),
        frames_a_key_(encoding.frames_a_key) {}

  std::vector<std::byte> encode(const Picture& picture, Time time) override {
    if (picture.width != encoder_.width() || picture.height != encoder_.height()) {
      throw Error(ErrorCode::invalid,
                  fmt::format("the picture has {} x {} pixels, and the video {} x {}",
                              picture.width, picture.height, encoder_.width(), encoder_.height()));
    }
    bool is_last = frames_a_key_ > 0 && since_key_ >= frames_a_key_;
    bool is_key =
        !key_ || is_last || time < *key_ || saturating_difference(*key_, time) >= key_interval_;
    ++since_key_;
    std::vector<std::byte> frame;
    auto take = [&](const Packet& packet) {
      auto bytes = std::as_bytes(std::span(packet->data, static_cast<std::size_t>(packet->size)));
      frame.insert(frame.end(), bytes.begin(), bytes.end());
      if ((packet->flags & AV_PKT_FLAG_KEY) == 0) return;
      key_ = time;
      since_key_ = 1;
    };
    encoder_.encode(picture, ticks_of(time), take, is_key);
    if (frame.empty()) {
      throw Error(ErrorCode::unsupported, "the encoder gives no frame for the picture");
    }
    return frame;
  }

 private:
  std::int64_t ticks_of(Time time) {
    using std::chrono::duration_cast;
    using std::chrono::microseconds;
    if (!first_) first_ = time;
    std::int64_t ticks = duration_cast<microseconds>(saturating_difference(*first_, time)).count();
    return ticks_ = std::max(ticks, ticks_ + 1);
  }

  PictureEncoder encoder_;
  Duration key_interval_;
  unsigned frames_a_key_;   ///< 0: any number
  unsigned since_key_ = 0;  ///< frames, the key frame included
  std::optional<Time> first_;
  std::optional<Time> key_;  ///< of the last key frame
  std::int64_t ticks_ = -1;  ///< of the last frame
};

}  // namespace

std::unique_ptr<VideoEncoder> create_encoder(std::string_view format,
                                             const VideoEncoding& encoding) {
  av_log_set_level(AV_LOG_QUIET);  // for the whole process; what is wrong is in the Error
  return std::make_unique<Encoder>(format, encoding);
}

}  // namespace kitbag::libav
