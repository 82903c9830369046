#pragma once

#include <cstdint>

#include "kitbag/bytes.h"

namespace kitbag {

/// CRC-32 of zlib, gzip and MCAP (IEEE 802.3, reflected, inverted): of `bytes` alone, or going on
/// from the sum `before` of what stands in front of them.
std::uint32_t crc32(ByteView bytes, std::uint32_t before = 0);

/// The sum of bytes whose sum is `before`, and behind them `count` bytes whose own is `sum`.
std::uint32_t crc32_joined(std::uint32_t before, std::uint32_t sum, std::uint64_t count);

}  // namespace kitbag
