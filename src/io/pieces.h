#pragma once

#include <span>

#include "kitbag/bytes.h"

namespace kitbag {

inline std::size_t total_bytes(std::span<const ByteView> pieces) {
  std::size_t total = 0;
  for (ByteView piece : pieces) total += piece.size();
  return total;
}

}  // namespace kitbag
