#include "compress/compression.h"

#include "compress/bz2.h"
#include "compress/lz4.h"

namespace kitbag {

std::unique_ptr<Compressor> make_compressor(std::string_view name) {
  if (name == "lz4") return make_lz4_compressor();
  if (name == "bz2") return make_bz2_compressor();
  return nullptr;
}

std::unique_ptr<Decompressor> make_decompressor(std::string_view name) {
  if (name == "lz4") return make_lz4_decompressor();
  if (name == "bz2") return make_bz2_decompressor();
  return nullptr;
}

}  // namespace kitbag
