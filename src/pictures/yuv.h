#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "pictures/raw_image.h"

// Brightness for each pixel, and two values of colour for several. In yuv422 (also called uyvy) and
// yuv422_yuy2 (yuyv), two pixels are four bytes. In nv12, nv21 and nv24, a plane of brightness is
// followed by a plane of pairs of colour values: a pair for four pixels, in nv24 for each. The
// values are those of video, ITU-R BT.601 with black at 16, as OpenCV and so cv_bridge read them.

namespace kitbag {

/// Whether this is the name of such an encoding.
bool is_yuv(std::string_view encoding);
/// Bytes of a row of the first plane.
std::uint64_t yuv_row_bytes(std::string_view encoding, std::uint64_t width);
/// The plane of colours, as a number of rows like those of the first plane.
std::uint64_t yuv_more_rows(const RawImage& image);
/// `image`, whose sizes were checked, in one of these encodings.
std::unique_ptr<PictureRows> yuv_rows(const RawImage& image);

}  // namespace kitbag
