#pragma once

#include <cstdint>

#include "kitbag/bytes.h"

namespace kitbag {

/// The checksum of LZ4 frames: xxHash, 32 bits, seed 0.
std::uint32_t xxh32(ByteView bytes);

}  // namespace kitbag
