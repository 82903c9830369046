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
  /// Replaces the content of `to` by `from` compressed. Throws Error.
  virtual void compress(ByteView from, Buffer& to) = 0;
};

struct Decompressed {
  bool complete = false;     ///< the stream ended as it should, checksums included
  std::size_t consumed = 0;  ///< bytes of the input that were understood
};

class Decompressor {
 public:
  virtual ~Decompressor() = default;
  /// Replaces the content of `to` by what `from` holds: all of it, or when `from` is cut or
  /// damaged, what comes before. `expected`: the size that the file promises, 0 if it does not;
  /// memory grows with what truly comes out, and stops at `limit` bytes (then not complete).
  /// Throws Error (cancelled) if `stop` is requested meanwhile, which is looked at every few MiB.
  virtual Decompressed decompress(ByteView from, std::size_t expected, std::size_t limit,
                                  Buffer& to, const std::stop_token& stop) = 0;
  Decompressed decompress(ByteView from, std::size_t expected, std::size_t limit, Buffer& to) {
    return decompress(from, expected, limit, to, {});
  }
};

/// "lz4" (LZ4 frame format, as roslz4 and MCAP store it), "bz2" and "zstd" (its level 1); null for
/// a name it does not know. "none" is the caller's: nothing is copied for it.
std::unique_ptr<Compressor> make_compressor(std::string_view name);
std::unique_ptr<Decompressor> make_decompressor(std::string_view name);

}  // namespace kitbag
