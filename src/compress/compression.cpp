#include "compress/compression.h"

#include "compress/bz2.h"
#include "compress/lz4.h"
#include "compress/zstd.h"

namespace kitbag {

namespace {

constexpr int kZstdLevel = 1;

}  // namespace

std::unique_ptr<Compressor> make_compressor(std::string_view name) {
  if (name == "lz4") return make_lz4_compressor();
  if (name == "bz2") return make_bz2_compressor();
  if (name == "zstd") return make_zstd_compressor(kZstdLevel);
  return nullptr;
}

std::unique_ptr<Decompressor> make_decompressor(std::string_view name) {
  if (name == "lz4") return make_lz4_decompressor();
  if (name == "bz2") return make_bz2_decompressor();
  if (name == "zstd") return make_zstd_decompressor();
  return nullptr;
}

}  // namespace kitbag
