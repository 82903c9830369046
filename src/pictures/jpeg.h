#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "kitbag/bytes.h"
#include "kitbag/picture.h"
#include "pictures/rows.h"

namespace kitbag {

/// Whether the bytes begin like a JPEG.
bool is_jpeg(ByteView bytes);

/// A JPEG, whose rows are as small as the library can make them at little cost, and not smaller
/// than the picture is to become. `bytes` must outlive it.
struct OpenedJpeg {
  PictureSize whole;
  std::unique_ptr<PictureRows> rows;
};
OpenedJpeg open_jpeg(ByteView bytes, const PictureOptions& options, const Wait& wait);

std::vector<std::byte> encode_jpeg(const Picture& picture);

}  // namespace kitbag
