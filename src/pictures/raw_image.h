#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "kitbag/bytes.h"
#include "pictures/rows.h"

namespace kitbag {

/// Pixels as a message has them.
struct RawImage {
  std::uint64_t width = 0;
  std::uint64_t height = 0;
  std::string encoding;    ///< "rgb8", as in sensor_msgs/image_encodings.h
  std::uint64_t step = 0;  ///< bytes of a row; 0: as many as its pixels need
  bool is_big_endian = false;
  ByteView data;
};

/// Values v of a depth image that stand for the depth first / (v - second); 0 stands for none.
struct InverseDepth {
  float first = 0;
  float second = 0;
};

/// The rows of the image, whose data must outlive them. Throws Error: unsupported for an encoding
/// that is not known, truncated if there are fewer bytes than the image needs, corrupt for a step
/// that is too short, and as check_size() does.
std::unique_ptr<PictureRows> raw_rows(const RawImage& image, std::uint64_t most_pixels);
/// The same for 16-bit values of depth.
std::unique_ptr<PictureRows> inverse_depth_rows(const RawImage& image, InverseDepth inverse,
                                                std::uint64_t most_pixels);

}  // namespace kitbag
