#include "video/libav/picture_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "kitbag/error.h"
#include "kitbag/escape.h"

// Pictures have colours, and the video has brightness for each pixel and two values of colour for
// four. The matrix is that which players take where nothing is said (video/libav/frame.cpp), and it
// is said.

namespace kitbag::libav {
namespace {

/// Of frames that the encoder looks ahead: by default 40, which is too much for large pictures.
constexpr std::uint64_t kMostAheadBytes = 512 << 20;
constexpr std::uint64_t kMostAhead = 40;
constexpr std::uint32_t kMostSide = 16384;
constexpr int kUsualRate = 30;  ///< frames a second; the true times are in the packets

std::uint32_t even(std::uint32_t size) {
  return size + size % 2;
}

/// One more column and row, which repeat the last ones, where the size is odd.
std::vector<std::byte> padded(const Picture& picture) {
  std::size_t row_bytes = std::size_t{picture.width} * picture.channels;
  std::size_t padded_bytes = std::size_t{even(picture.width)} * picture.channels;
  std::vector<std::byte> pixels(padded_bytes * even(picture.height));
  for (std::size_t row = 0; row < even(picture.height); ++row) {
    std::size_t from = std::min<std::size_t>(row, picture.height - 1);
    std::byte* into = pixels.data() + row * padded_bytes;
    std::memcpy(into, picture.pixels.data() + from * row_bytes, row_bytes);
    if (padded_bytes > row_bytes) {
      std::memcpy(into + row_bytes, into + row_bytes - picture.channels, picture.channels);
    }
  }
  return pixels;
}

AVColorSpace matrix_for(std::uint32_t rows) {
  return rows >= kRowsOfHighDefinition ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M;
}

}  // namespace

PictureEncoder::PictureEncoder(const PictureEncoding& encoding)
    : width_(encoding.width), height_(encoding.height), frame_(av_frame_alloc()) {
  const bool is_h265 = encoding.format == "h265";
  const char* name = is_h265 ? "libx265" : "libx264";
  const AVCodec* codec = avcodec_find_encoder_by_name(name);
  if (!codec) {
    throw Error(ErrorCode::unsupported,
                fmt::format("the libavcodec of this machine has no {}, which pictures are encoded "
                            "with",
                            name));
  }
  if (width_ == 0 || height_ == 0 || width_ > kMostSide || height_ > kMostSide) {
    throw Error(ErrorCode::invalid,
                fmt::format("pictures of {} x {} pixels cannot be a video", width_, height_));
  }
  context_.reset(avcodec_alloc_context3(codec));
  if (!context_ || !frame_) throw_no_memory();
  context_->width = static_cast<int>(even(width_));
  context_->height = static_cast<int>(even(height_));
  context_->pix_fmt = AV_PIX_FMT_YUV420P;
  context_->time_base = {1, encoding.ticks_per_second};
  context_->framerate = {kUsualRate, 1};
  context_->sample_aspect_ratio = {1, 1};
  context_->colorspace = matrix_for(height_);
  context_->color_range = AVCOL_RANGE_MPEG;
  if (encoding.has_parameters_apart) context_->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  context_->thread_count = encoding.gives_at_once ? 1 : 0;
  if (encoding.gives_at_once) context_->max_b_frames = 0;
  if (encoding.frames_a_key > 0) context_->gop_size = static_cast<int>(encoding.frames_a_key);
  context_->bit_rate = static_cast<std::int64_t>(encoding.bits_per_second);
  Dictionary settings;
  settings.set("preset", encoding.preset);
  if (encoding.bits_per_second == 0) settings.set("crf", std::to_string(encoding.crf));
  if (encoding.gives_at_once) settings.set("tune", "zerolatency");
  // So that a decoder can begin with each frame that is asked to be a key frame.
  settings.set("forced-idr", "1");
  // x265 prints by itself, and has threads of its own.
  if (is_h265) settings.set("x265-params", "log-level=none:pools=none:frame-threads=1");
  std::uint64_t frame_bytes = std::uint64_t{even(width_)} * even(height_) * 3 / 2;
  std::uint64_t ahead = kMostAheadBytes / std::max<std::uint64_t>(frame_bytes, 1);
  bool is_limited = !encoding.gives_at_once && !is_h265 && ahead < kMostAhead;
  if (is_limited) settings.set("rc-lookahead", std::to_string(ahead));
  int result = avcodec_open2(context_.get(), codec, settings.get());
  if (result == AVERROR(ENOMEM)) throw_no_memory();
  if (result < 0) {
    throw Error(ErrorCode::invalid,
                fmt::format("{} cannot encode pictures of {} x {} pixels with the preset \"{}\" "
                            "and CRF {}: {}",
                            is_h265 ? "x265" : "x264", width_, height_, escaped(encoding.preset),
                            encoding.crf, reason_of(result)));
  }
  frame_->format = context_->pix_fmt;
  frame_->width = context_->width;
  frame_->height = context_->height;
  frame_->colorspace = context_->colorspace;
  frame_->color_range = context_->color_range;
  if (av_frame_get_buffer(frame_.get(), 0) < 0) throw_no_memory();
}

Parameters PictureEncoder::parameters() const {
  Parameters parameters(avcodec_parameters_alloc());
  if (!parameters || avcodec_parameters_from_context(parameters.get(), context_.get()) < 0) {
    throw_no_memory();
  }
  return parameters;
}

void PictureEncoder::encode(const Picture& picture, std::int64_t pts, const OnPacket& on_packet,
                            bool is_key) {
  convert(picture);
  frame_->pts = pts;
  frame_->pict_type = is_key ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE;
  int result = avcodec_send_frame(context_.get(), frame_.get());
  if (result < 0) {
    throw Error(ErrorCode::unsupported,
                fmt::format("the picture cannot be encoded: {}", reason_of(result)));
  }
  while (receive(on_packet)) {
  }
}

/// One packet for each call, so that the caller can stop in between.
bool PictureEncoder::drain(const OnPacket& on_packet) {
  if (!is_ending_) avcodec_send_frame(context_.get(), nullptr);
  is_ending_ = true;
  return receive(on_packet);
}

void PictureEncoder::convert(const Picture& picture) {
  if (!scaler_ || scaled_channels_ != picture.channels) {
    AVPixelFormat from = picture.channels == 1 ? AV_PIX_FMT_GRAY8 : AV_PIX_FMT_RGB24;
    scaler_.reset(sws_getContext(
        frame_->width, frame_->height, from, frame_->width, frame_->height, AV_PIX_FMT_YUV420P,
        SWS_BILINEAR | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INP, nullptr, nullptr, nullptr));
    if (!scaler_) throw_no_memory();
    scaled_channels_ = picture.channels;
    const int* matrix = sws_getCoefficients(matrix_for(height_));
    constexpr int kOne = 1 << 16;
    sws_setColorspaceDetails(scaler_.get(), matrix, 1, matrix, 0, 0, kOne, kOne);
  }
  std::vector<std::byte> more;
  if (is_padded()) more = padded(picture);
  const std::vector<std::byte>& pixels = is_padded() ? more : picture.pixels;
  if (av_frame_make_writable(frame_.get()) < 0) throw_no_memory();
  const std::uint8_t* planes[] = {reinterpret_cast<const std::uint8_t*>(pixels.data())};
  const int steps[] = {frame_->width * static_cast<int>(picture.channels)};
  if (sws_scale(scaler_.get(), planes, steps, 0, frame_->height, frame_->data, frame_->linesize) !=
      frame_->height) {
    throw Error(ErrorCode::unsupported, "the colors of the picture cannot be converted");
  }
}

/// Returns false if the encoder gives nothing now.
bool PictureEncoder::receive(const OnPacket& on_packet) {
  Packet packet(av_packet_alloc());
  if (!packet) throw_no_memory();
  int result = avcodec_receive_packet(context_.get(), packet.get());
  if (result == AVERROR(EAGAIN) || result == AVERROR_EOF) return false;
  if (result < 0) {
    throw Error(ErrorCode::unsupported,
                fmt::format("the pictures cannot be encoded: {}", reason_of(result)));
  }
  on_packet(std::move(packet));
  return true;
}

}  // namespace kitbag::libav
