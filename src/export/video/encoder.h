#pragma once

#include <cstdint>
#include <functional>

#include "export/video/container.h"
#include "kitbag/export_messages.h"
#include "kitbag/picture.h"

namespace kitbag::libav {

/// Receives a packet, in the order of decoding.
using OnPacket = std::function<void(Packet packet)>;

/// Encodes pictures of one size as H.264. One thread at a time.
class PictureEncoder {
 public:
  /// `width` and `height` are those of the pictures. `is_streamed`: packets leave at once, and the
  /// work is done on the caller's thread. Throws Error: unsupported if there is no such encoder;
  /// invalid for a preset that it does not have.
  PictureEncoder(Container container, std::uint32_t width, std::uint32_t height,
                 const VideoOptions& options, bool is_streamed);

  std::uint32_t width() const { return width_; }
  std::uint32_t height() const { return height_; }
  /// An odd width and height have one more in the video.
  bool is_padded() const { return width_ % 2 != 0 || height_ % 2 != 0; }
  /// What a container says of the stream.
  Parameters parameters() const;

  /// Encodes a picture of this size that is shown at `pts`, in ticks of the container.
  void encode(const Picture& picture, std::int64_t pts, const OnPacket& on_packet);
  /// Gives what the encoder has held back. It can be called until there is nothing more: false.
  bool drain(const OnPacket& on_packet);

 private:
  void convert(const Picture& picture);
  bool receive(const OnPacket& on_packet);

  std::uint32_t width_;
  std::uint32_t height_;
  Context context_;
  Frame frame_;  ///< the colours as the encoder takes them
  Scaler scaler_;
  std::uint32_t scaled_channels_ = 0;  ///< of scaler_
  bool is_ending_ = false;
};

}  // namespace kitbag::libav
