#pragma once

#include <cstddef>
#include <cstring>
#include <optional>

#include "kitbag/bytes.h"
#include "pictures/png.h"
#include "pictures/raw_image.h"

namespace kitbag {

/// What `compressedDepth` of ROS holds: an int32 and two floats, and behind them a PNG.
struct CompressedDepth {
  ByteView png;
  InverseDepth inverse;  ///< if the depths were floats
};

/// Returns what is in `data`; nothing if there is no PNG behind such a header.
inline std::optional<CompressedDepth> compressed_depth(ByteView data) {
  constexpr std::size_t kHeaderBytes = 12;
  if (data.size() <= kHeaderBytes || !is_png(data.subspan(kHeaderBytes))) return std::nullopt;
  CompressedDepth found{data.subspan(kHeaderBytes), {}};
  std::memcpy(&found.inverse.first, data.data() + 4, sizeof(float));
  std::memcpy(&found.inverse.second, data.data() + 8, sizeof(float));
  return found;
}

}  // namespace kitbag
