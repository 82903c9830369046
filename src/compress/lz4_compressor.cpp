#include <fmt/format.h>
#include <lz4frame.h>

#include <new>

#include "base/little_endian.h"
#include "compress/lz4.h"
#include "compress/xxh32.h"
#include "kitbag/error.h"

// The frames written are what roslz4, the decompressor of the real rosbag, accepts: independent
// blocks, a checksum over the content, none over blocks (it refuses those), no content size, no
// dictionary. Blocks are of 1 MiB, so that a chunk of the usual 768 KiB is one block.
//
// The checksum over the content is computed here, see xxh32.cpp: the library leaves it out, and the
// header that it has written is changed accordingly.

namespace kitbag {
namespace {

class Lz4Compressor final : public Compressor {
 public:
  Lz4Compressor() {
    if (LZ4F_isError(LZ4F_createCompressionContext(&context_, LZ4F_VERSION))) {
      throw std::bad_alloc();
    }
    preferences_.frameInfo.blockMode = LZ4F_blockIndependent;
    preferences_.autoFlush = 1;  // straight from the input, nothing is gathered within
  }
  ~Lz4Compressor() override { LZ4F_freeCompressionContext(context_); }

  void compress(ByteView from, Buffer& to) override {
    // Blocks no larger than what goes in: a reader takes memory for a whole one.
    preferences_.frameInfo.blockSizeID = from.size() <= (64 << 10) ? LZ4F_max64KB : LZ4F_max1MB;
    to.clear();
    to.resize(LZ4F_compressBound(from.size(), &preferences_) + LZ4F_HEADER_SIZE_MAX +
              sizeof(std::uint32_t));
    std::size_t size = begin(to.span());
    LZ4F_compressOptions_t stable{};
    stable.stableSrc = 1;
    size += checked(LZ4F_compressUpdate(context_, to.data() + size, to.size() - size, from.data(),
                                        from.size(), &stable));
    size += checked(LZ4F_compressEnd(context_, to.data() + size, to.size() - size, &stable));
    to.resize(size);
    add_checksum(xxh32(from), to);
  }

 private:
  static void add_checksum(std::uint32_t checksum, Buffer& frame) {
    std::byte* header = frame.data();
    header[kLz4FlagsAt] |= std::byte{kLz4ContentChecksum};
    auto header_checksum =
        xxh32(ByteView(header + kLz4FlagsAt, kLz4HeaderChecksumAt - kLz4FlagsAt)) >> 8U;
    header[kLz4HeaderChecksumAt] = static_cast<std::byte>(header_checksum & 0xffU);
    store_le(frame.extend(sizeof checksum), checksum);
  }

  std::size_t begin(std::span<std::byte> to) {
    return checked(LZ4F_compressBegin(context_, to.data(), to.size(), &preferences_));
  }

  static std::size_t checked(std::size_t result) {
    if (!LZ4F_isError(result)) return result;
    throw Error(ErrorCode::invalid,
                fmt::format("lz4 compression failed: {}", LZ4F_getErrorName(result)));
  }

  LZ4F_cctx* context_ = nullptr;
  LZ4F_preferences_t preferences_{};
};

}  // namespace

std::unique_ptr<Compressor> make_lz4_compressor() {
  return std::make_unique<Lz4Compressor>();
}

}  // namespace kitbag
