#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "kitbag/bytes.h"
#include "kitbag/picture.h"
#include "pictures/rows.h"

namespace kitbag {

/// Whether the bytes begin like a PNG.
bool is_png(ByteView bytes);

/// A PNG. What it says of transparency is ignored.
struct OpenedPng {
  PictureSize size;
  /// Null: it has gray values of 16 bits, which are in `values`.
  std::unique_ptr<PictureRows> rows;
  std::vector<std::byte> values;  ///< big-endian, row after row
};
/// `bytes` must outlive it.
OpenedPng open_png(ByteView bytes, std::uint64_t most_pixels, const Wait& wait);

std::vector<std::byte> encode_png(const Picture& picture);

}  // namespace kitbag
