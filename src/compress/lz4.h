#pragma once

#include "compress/compression.h"

namespace kitbag {

std::unique_ptr<Compressor> make_lz4_compressor();
std::unique_ptr<Decompressor> make_lz4_decompressor();

// Where things lie in the header of an LZ4 frame, and its flags.
inline constexpr std::size_t kLz4FlagsAt = 4;
inline constexpr std::size_t kLz4BlockSizeAt = 5;
inline constexpr std::size_t kLz4HeaderChecksumAt = 6;
inline constexpr unsigned kLz4IndependentBlocks = 0x20;
inline constexpr unsigned kLz4BlockChecksums = 0x10;
inline constexpr unsigned kLz4ContentChecksum = 0x04;

}  // namespace kitbag
