#include "video/libav/frame.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "kitbag/error.h"

// What a video says of its colours counts: the matrix, and whether black is 0 or 16. Most cameras
// say nothing. Then they are taken as browsers take them: BT.709 for 720 rows and more, BT.601
// below.

namespace kitbag::libav {
namespace {

/// The formats whose names say that black is 0 are old names of others, with that range.
AVPixelFormat plain_format(AVPixelFormat format, bool& is_full_range) {
  constexpr std::pair<AVPixelFormat, AVPixelFormat> kOldNames[] = {
      {AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUV420P},
      {AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUV422P},
      {AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUV444P},
      {AV_PIX_FMT_YUVJ440P, AV_PIX_FMT_YUV440P},
      {AV_PIX_FMT_YUVJ411P, AV_PIX_FMT_YUV411P}};
  for (const auto& [old, plain] : kOldNames) {
    if (format != old) continue;
    is_full_range = true;
    return plain;
  }
  return format;
}

const int* matrix_of(const AVFrame& frame) {
  AVColorSpace space = frame.colorspace;
  if (space == AVCOL_SPC_UNSPECIFIED) {
    space = frame.height >= static_cast<int>(kRowsOfHighDefinition) ? AVCOL_SPC_BT709
                                                                    : AVCOL_SPC_SMPTE170M;
  }
  return sws_getCoefficients(space);
}

Scaler scaler_for(const AVFrame& frame) {
  bool is_full_range = frame.color_range == AVCOL_RANGE_JPEG;
  AVPixelFormat format = plain_format(static_cast<AVPixelFormat>(frame.format), is_full_range);
  Scaler scaler;
  if (sws_isSupportedInput(format) > 0) {
    scaler.reset(sws_getContext(
        frame.width, frame.height, format, frame.width, frame.height, AV_PIX_FMT_RGB24,
        SWS_BILINEAR | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, nullptr, nullptr, nullptr));
  }
  if (!scaler) {
    const char* name = av_get_pix_fmt_name(format);
    throw Error(ErrorCode::unsupported,
                std::string("the colors of the video cannot be read; they are in the format ") +
                    (name ? name : "of a number that is not known"));
  }
  const int* matrix = matrix_of(frame);
  constexpr int kOne = 1 << 16;
  // It refuses formats that are no YUV, which need none of it.
  sws_setColorspaceDetails(scaler.get(), matrix, is_full_range ? 1 : 0, matrix, 1, 0, kOne, kOne);
  return scaler;
}

/// Memory for the colours with the padding that libswscale writes into.
Frame colours_for(const AVFrame& frame) {
  Frame colours(av_frame_alloc());
  if (colours) {
    colours->format = AV_PIX_FMT_RGB24;
    colours->width = frame.width;
    colours->height = frame.height;
  }
  if (!colours || av_frame_get_buffer(colours.get(), 0) < 0) {
    throw Error(ErrorCode::limit, "there is no memory for the picture");
  }
  return colours;
}

}  // namespace

Picture DecodedFrame::picture() const {
  Frame colours = colours_for(*frame_);
  Scaler scaler = scaler_for(*frame_);
  if (sws_scale(scaler.get(), frame_->data, frame_->linesize, 0, frame_->height, colours->data,
                colours->linesize) != frame_->height) {
    throw Error(ErrorCode::unsupported, "the colors of the video cannot be read");
  }
  Picture picture;
  picture.width = static_cast<std::uint32_t>(frame_->width);
  picture.height = static_cast<std::uint32_t>(frame_->height);
  const std::size_t row_bytes = std::size_t{3} * picture.width;
  picture.pixels.resize(row_bytes * picture.height);
  for (std::size_t row = 0; row < picture.height; ++row) {
    std::memcpy(picture.pixels.data() + row * row_bytes,
                colours->data[0] + static_cast<std::ptrdiff_t>(row) * colours->linesize[0],
                row_bytes);
  }
  return picture;
}

}  // namespace kitbag::libav
