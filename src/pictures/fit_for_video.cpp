#include "pictures/fit_for_video.h"

#include <fmt/format.h>

#include "kitbag/escape.h"
#include "pictures/bayer.h"
#include "pictures/jpeg.h"
#include "pictures/raw_encoding.h"
#include "pictures/yuv.h"

// Depths, labels and temperatures are numbers, of which a video would keep the look alone.

namespace kitbag {
namespace {

bool has_colours(const std::string& encoding) {
  if (is_yuv(encoding)) return true;
  if (is_bayer(encoding)) return bayer_sample_bytes(encoding) == 1;
  auto interleaved = interleaved_encoding(encoding);
  return interleaved && interleaved->sample == Sample::u8 && !interleaved->is_scaled &&
         interleaved->samples != 2;
}

}  // namespace

std::string reason_against_video(const ImageMessage& fields) {
  if (auto image = fields.raw()) {
    if (has_colours(image->encoding)) return {};
    return fmt::format("its encoding \"{}\" has no colors of 8 bits", escaped(image->encoding));
  }
  if (!fields.is_compressed()) return "its messages have no picture";
  if (is_jpeg(*fields.data)) return {};
  return fmt::format("its format \"{}\" is no JPEG", escaped(*fields.format));
}

}  // namespace kitbag
