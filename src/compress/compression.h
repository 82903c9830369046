#pragma once

#include <memory>
#include <stop_token>
#include <string_view>

#include "base/buffer.h"
#include "kitbag/bytes.h"

namespace kitbag {

/// One way to compress. An object is used by one thread at a time and keeps its contexts, so that
/// a chunk costs no allocation.
class Compressor {
 public:
  virtual ~Compressor() = default;
  /// Replaces the content of `to` with the compressed `from`. Throws Error.
  virtual void compress(ByteView from, Buffer& to) = 0;
};

struct Decompressed {
  bool complete = false;     ///< the stream ended as it should, checksums included
  std::size_t consumed = 0;  ///< bytes of the input that were understood
};

class Decompressor {
 public:
  virtual ~Decompressor() = default;
  /// Replaces the content of `to` with what `from` decompresses to: all of it, or, if `from` is cut
  /// off or damaged, what comes before that. `expected`: the size that the file promises, or 0.
  /// Memory grows with the actual output, up to `limit` bytes (then not complete). Throws Error
  /// (cancelled) if `stop` is requested meanwhile; it is checked every few MiB.
  virtual Decompressed decompress(ByteView from, std::size_t expected, std::size_t limit,
                                  Buffer& to, const std::stop_token& stop) = 0;
  Decompressed decompress(ByteView from, std::size_t expected, std::size_t limit, Buffer& to) {
    return decompress(from, expected, limit, to, {});
  }
};

/// "lz4" (LZ4 frame format, as roslz4 and MCAP store it), "bz2" and "zstd" (its level 1); null for
/// any other name. Callers handle "none" themselves: nothing is copied for it.
std::unique_ptr<Compressor> make_compressor(std::string_view name);
std::unique_ptr<Decompressor> make_decompressor(std::string_view name);

}  // namespace kitbag
