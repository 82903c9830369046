#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>

#include "base/buffer.h"
#include "compress/compression.h"
#include "compress/stream.h"
#include "kitbag/bytes.h"

namespace kitbag::parquet {

/// Unpacks the pages of a column. One thread.
class PageCodec {
 public:
  /// `codec` is a value of the enumeration CompressionCodec of parquet.thrift. Throws Error
  /// (unsupported) for LZO, for the LZ4 of Hadoop, and for what came later.
  explicit PageCodec(std::int32_t codec);

  bool is_packed() const { return codec_ != 0; }
  /// Replaces the content of `to` with the `size` bytes that `from` unpacks to. Throws Error:
  /// corrupt if it does not, limit if they are many more than any page has.
  void unpack(ByteView from, std::size_t size, Buffer& to, const std::stop_token& stop);

 private:
  void unpack_gzip(ByteView from, std::size_t size, Buffer& to) const;

  std::int32_t codec_;
  std::unique_ptr<Decompressor> zstd_;
};

}  // namespace kitbag::parquet
