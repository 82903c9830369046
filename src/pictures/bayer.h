#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "pictures/raw_image.h"

// A Bayer sensor has one colour in each pixel, in squares of four: "bayer_rggb8" has red and green
// in even rows, green and blue in odd ones. The other two colours are averages of the neighbours.

namespace kitbag {

/// Whether this is the name of such an encoding.
bool is_bayer(std::string_view encoding);
std::uint64_t bayer_sample_bytes(std::string_view encoding);
/// `image`, whose sizes were checked, in one of these encodings.
std::unique_ptr<PictureRows> bayer_rows(const RawImage& image);

}  // namespace kitbag
