#include "catalog/packed_bytes.h"

#include "compress/compression.h"

namespace kitbag::catalog {
namespace {

constexpr std::size_t kMostBytes = 64 << 20;

}  // namespace

std::vector<std::byte> compressed(ByteView bytes) {
  // To make one takes longer than what it does to a few hundred bytes.
  thread_local const auto kCompressor = make_compressor("zstd");
  Buffer packed;
  kCompressor->compress(bytes, packed);
  return {packed.data(), packed.data() + packed.size()};
}

std::optional<Buffer> decompressed(ByteView bytes) {
  thread_local const auto kDecompressor = make_decompressor("zstd");
  Buffer raw;
  Decompressed done = kDecompressor->decompress(bytes, 0, kMostBytes, raw);
  if (!done.complete) return std::nullopt;
  return raw;
}

}  // namespace kitbag::catalog
