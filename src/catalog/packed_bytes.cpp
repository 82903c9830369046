#include "catalog/packed_bytes.h"

#include "compress/compression.h"

namespace kitbag::catalog {
namespace {

constexpr std::size_t kMostBytes = 64 << 20;

}  // namespace

std::vector<std::byte> compressed(ByteView bytes) {
  Buffer packed;
  make_compressor("zstd")->compress(bytes, packed);
  return {packed.data(), packed.data() + packed.size()};
}

std::optional<Buffer> decompressed(ByteView bytes) {
  Buffer raw;
  Decompressed done = make_decompressor("zstd")->decompress(bytes, 0, kMostBytes, raw);
  if (!done.complete) return std::nullopt;
  return raw;
}

}  // namespace kitbag::catalog
