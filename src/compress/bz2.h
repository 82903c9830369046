#pragma once

#include "compress/compression.h"

namespace kitbag {

std::unique_ptr<Compressor> make_bz2_compressor();
std::unique_ptr<Decompressor> make_bz2_decompressor();

}  // namespace kitbag
