#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "kitbag/picture.h"
#include "video/libav/av.h"

namespace kitbag::libav {

/// Receives a packet, in the order of decoding.
using OnPacket = std::function<void(Packet packet)>;

/// How pictures are encoded.
struct PictureEncoding {
  std::string_view format = "h264";  ///< or "h265"
  std::uint32_t width = 0;           ///< of the pictures
  std::uint32_t height = 0;
  int ticks_per_second = 1;  ///< of the times that they are shown at
  unsigned crf = 23;
  std::uint64_t bits_per_second = 0;  ///< 0: as crf says
  std::string preset = "veryfast";
  unsigned frames_a_key = 0;  ///< 0: as the encoder has it
  /// Each picture gives its packet, and the work is done on the caller's thread.
  bool gives_at_once = false;
  /// The parameters of the stream are in parameters(), and not with each key frame.
  bool has_parameters_apart = false;
};

/// Encodes pictures of one size. One thread at a time.
class PictureEncoder {
 public:
  /// Throws Error: unsupported if there is no such encoder; invalid for a preset or a size that it
  /// does not have.
  explicit PictureEncoder(const PictureEncoding& encoding);

  std::uint32_t width() const { return width_; }
  std::uint32_t height() const { return height_; }
  /// An odd width and height have one more in the video.
  bool is_padded() const { return width_ % 2 != 0 || height_ % 2 != 0; }
  /// What a container says of the stream.
  Parameters parameters() const;

  /// Encodes a picture of this size that is shown at `pts`, in ticks. `is_key`: as a key frame in
  /// any case.
  void encode(const Picture& picture, std::int64_t pts, const OnPacket& on_packet,
              bool is_key = false);
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
