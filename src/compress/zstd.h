#pragma once

#include "compress/compression.h"

namespace kitbag {

/// `level` as zstd counts: negative ones are fast, 22 is the strongest.
std::unique_ptr<Compressor> make_zstd_compressor(int level);
std::unique_ptr<Decompressor> make_zstd_decompressor();

}  // namespace kitbag
