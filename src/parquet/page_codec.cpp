#include "parquet/page_codec.h"

#include <brotli/decode.h>
#include <fmt/format.h>
#include <lz4.h>
#include <snappy.h>

#include "base/memory_limit.h"
#include "compress/zstd.h"
#include "kitbag/error.h"

// How a page is compressed is a number in the metadata of its column. What is missing here are LZO
// and the first LZ4, whose frames were those of Hadoop and never specified; LZ4_RAW took its place.
//
// A page says how many bytes it unpacks to. That is believed only up to what so many packed bytes
// may become (MemoryLimit), and then it must be exactly as many. So a small file cannot take much
// memory.

namespace kitbag::parquet {

namespace {

enum : std::int32_t {
  kNoCodec = 0,
  kSnappyCodec = 1,
  kGzipCodec = 2,
  kBrotliCodec = 4,
  kZstdCodec = 6,
  kLz4Codec = 7,
};

void require_unpacked(bool is_sound) {
  if (!is_sound) throw Error(ErrorCode::corrupt, "a page of a column cannot be decompressed");
}

}  // namespace

PageCodec::PageCodec(std::int32_t codec) : codec_(codec) {
  switch (codec) {
    case kNoCodec:
    case kSnappyCodec:
    case kGzipCodec:
    case kBrotliCodec:
    case kLz4Codec:
      return;
    case kZstdCodec:
      zstd_ = make_zstd_decompressor();
      return;
    default:
      throw Error(ErrorCode::unsupported,
                  fmt::format("a column is compressed in a way that is not supported (codec {}); "
                              "write the file with zstd or snappy",
                              codec));
  }
}

void PageCodec::unpack_gzip(ByteView from, std::size_t size, Buffer& to) const {
  auto stream = make_stream_decompressor("gz");
  to.resize(size);
  std::size_t given = 0;
  while (!from.empty()) {
    StreamStep step = stream->step(from, to.span().subspan(given));
    require_unpacked(step.state != StreamStep::State::damaged);
    bool is_stuck = step.taken == 0 && step.given == 0 && step.state == StreamStep::State::going;
    require_unpacked(!is_stuck);
    from = from.subspan(step.taken);
    given += step.given;
  }
  require_unpacked(given == size);
}

void PageCodec::unpack(ByteView from, std::size_t size, Buffer& to, const std::stop_token& stop) {
  std::uint64_t most = MemoryLimit().unpacked(from.size());
  if (size > most) {
    throw Error(ErrorCode::limit, MemoryLimit::exceeded("a page of a column", size, most));
  }
  const auto* packed = reinterpret_cast<const char*>(from.data());
  switch (codec_) {
    case kSnappyCodec: {
      std::size_t unpacked = 0;
      require_unpacked(snappy::GetUncompressedLength(packed, from.size(), &unpacked) &&
                       unpacked == size);
      to.resize(size);
      return require_unpacked(
          snappy::RawUncompress(packed, from.size(), reinterpret_cast<char*>(to.data())));
    }
    case kGzipCodec:
      return unpack_gzip(from, size, to);
    case kBrotliCodec: {
      to.resize(size);
      std::size_t unpacked = size;
      auto result =
          BrotliDecoderDecompress(from.size(), reinterpret_cast<const std::uint8_t*>(from.data()),
                                  &unpacked, reinterpret_cast<std::uint8_t*>(to.data()));
      return require_unpacked(result == BROTLI_DECODER_RESULT_SUCCESS && unpacked == size);
    }
    case kZstdCodec:
      return require_unpacked(zstd_->decompress(from, size, size, to, stop).complete &&
                              to.size() == size);
    case kLz4Codec: {
      to.resize(size);
      // The header of a page has both sizes in 32 bits.
      int unpacked = LZ4_decompress_safe(packed, reinterpret_cast<char*>(to.data()),
                                         static_cast<int>(from.size()), static_cast<int>(size));
      return require_unpacked(unpacked >= 0 && static_cast<std::size_t>(unpacked) == size);
    }
    default:
      require_unpacked(from.size() == size);
      to.clear();
      to.append(from);
  }
}

}  // namespace kitbag::parquet
