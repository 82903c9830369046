#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kitbag/picture.h"
#include "kitbag/time.h"
#include "pictures/raw_image.h"
#include "pictures/rows.h"

// A picture to look at has a byte for each value. A file that others compute with needs the values
// themselves: depths of 16 bits, transparency.

namespace kitbag {

/// A PNG with the values of a message.
struct ExactPng {
  PictureSize size;
  std::vector<std::byte> bytes;
  /// Depths too far for 16-bit millimetres; they are 0 in the PNG.
  std::uint64_t far_pixels = 0;
};

/// The values of `image`, whose data must outlive the call, in a PNG. Encodings with 8 or 16 bits a
/// value keep them; the order of colours becomes red, green, blue. Bayer patterns and YUV become
/// 8-bit colours. Metres (32FC1) become 16-bit millimetres, rounded; 0 stands for none, NaN and
/// what is too far. Throws Error as raw_rows(), unsupported also for other values that a PNG cannot
/// have, and cancelled on `wait.stop`.
ExactPng exact_png(const RawImage& image, std::uint64_t most_pixels, const Wait& wait);
/// The same for 16-bit values that stand for depths in metres.
ExactPng inverse_depth_png(const RawImage& image, InverseDepth inverse, std::uint64_t most_pixels,
                           const Wait& wait);
/// `picture` as it is.
ExactPng exact_png(const Picture& picture, const Wait& wait);

}  // namespace kitbag
