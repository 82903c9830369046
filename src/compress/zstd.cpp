#include "compress/zstd.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <new>

#include "compress/zstd_damage.h"
#include "kitbag/error.h"

// There are two ways to decompress. If the size is known and not absurd, one call decompresses into
// memory of that size, which is the fastest. It gives nothing if the data is damaged, and cannot be
// stopped. So if it fails, or if the size is not known, the data is decompressed step by step:
// every block before the damage comes out, the limit is checked, and a request to stop is noticed.
//
// The first way is used up to 64 MiB: beyond, a promised size could take memory for nothing, and
// the time until a stop would be felt.
//
// Frames are written with a checksum of their content. Messages in SQLite bags have no other one.

namespace kitbag {
namespace {

/// The most that is reserved because the file promises it; the buffer grows with the actual output.
constexpr std::size_t kZstdMostTrusted = std::size_t{64} << 20;
/// A stop request is checked each time that this much has come out.
constexpr std::size_t kZstdOutStep = std::size_t{4} << 20;
/// A frame may ask for a window of this size, which is memory; 128 MiB is zstd's own bound.
constexpr int kZstdWindowLog = 27;

class ZstdCompressor final : public Compressor {
 public:
  explicit ZstdCompressor(int level) : context_(ZSTD_createCCtx()) {
    if (!context_) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }

  void compress(ByteView from, Buffer& to) override {
    to.clear();
    to.resize(ZSTD_compressBound(from.size()));
    std::size_t size =
        ZSTD_compress2(context_.get(), to.data(), to.size(), from.data(), from.size());
    if (ZSTD_isError(size)) {
      throw Error(ErrorCode::invalid,
                  fmt::format("zstd compression failed: {}", ZSTD_getErrorName(size)));
    }
    to.resize(size);
  }

 private:
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };
  std::unique_ptr<ZSTD_CCtx, Free> context_;
};

class ZstdDecompressor final : public Decompressor {
 public:
  ZstdDecompressor() : context_(ZSTD_createDCtx()) {
    if (!context_) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kZstdWindowLog);
  }

  Decompressed decompress(ByteView from, std::size_t expected, std::size_t limit, Buffer& to,
                          const std::stop_token& stop) override {
    to.clear();
    throw_if_stopped({stop});
    if (expected > 0 && expected <= std::min(limit, kZstdMostTrusted)) {
      to.resize(expected);
      std::size_t size =
          ZSTD_decompressDCtx(context_.get(), to.data(), to.size(), from.data(), from.size());
      if (!is_zstd_damage(size) && size == expected) return {true, from.size()};
      to.clear();
    }
    return in_steps(from, limit, to, stop);
  }

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };

  Decompressed in_steps(ByteView from, std::size_t limit, Buffer& to, const std::stop_token& stop);

  std::unique_ptr<ZSTD_DCtx, Free> context_;
};

/// Block by block, so that what comes before damage comes out; frame behind frame.
Decompressed ZstdDecompressor::in_steps(ByteView from, std::size_t limit, Buffer& to,
                                        const std::stop_token& stop) {
  ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only);
  ZSTD_inBuffer in{from.data(), from.size(), 0};
  std::size_t result = 1;
  const std::size_t step = ZSTD_DStreamOutSize();
  while (to.size() <= limit) {
    throw_if_stopped({stop});
    std::size_t before = to.size();
    std::size_t most = std::min(limit, SIZE_MAX - step) + step;
    to.reserve(before + step, most);
    std::size_t room = std::min(std::min(to.capacity(), most) - before, kZstdOutStep);
    ZSTD_outBuffer out{to.data() + before, room, 0};
    std::size_t consumed = in.pos;
    result = ZSTD_decompressStream(context_.get(), &out, &in);
    to.resize(before + out.pos);
    if (is_zstd_damage(result)) return {false, consumed};
    bool has_moved = out.pos > 0 || in.pos > consumed;
    if (in.pos == in.size && (result == 0 || !has_moved)) break;
    if (!has_moved) return {false, in.pos};
  }
  bool is_complete = result == 0 && to.size() <= limit && in.pos == in.size;
  to.resize(std::min(to.size(), limit));
  return {is_complete, in.pos};
}

}  // namespace

std::unique_ptr<Compressor> make_zstd_compressor(int level) {
  return std::make_unique<ZstdCompressor>(level);
}

std::unique_ptr<Decompressor> make_zstd_decompressor() {
  return std::make_unique<ZstdDecompressor>();
}

}  // namespace kitbag
