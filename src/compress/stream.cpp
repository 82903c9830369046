#include "compress/stream.h"

#include <bzlib.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <new>

#include "compress/zstd_damage.h"

// Three libraries behind one step. They agree in how a step works: input and room are lent, and
// what was moved is counted. They differ in what comes after the end of a stream:
//
//     zlib     must be reset; it takes only gzip, not raw deflate or zlib's own header
//     bzip2    must be ended and begun again
//     zstd     begins the next frame by itself
//
// The reset is made at the next step and not at the end, so that a stream which nothing follows
// needs none. A step that has moved nothing is not damage: zlib even has an error code for it. The
// caller knows whether there is more input, so the caller decides.
//
// Compressing is by zstd only, with a checksum: a file that is compressed as a whole has no other
// one.

namespace kitbag {
namespace {

// Both libraries count in unsigned int.
constexpr std::size_t kMostOfStep = std::size_t{1} << 30;

// Their interfaces are older than const: input is only read through these pointers.
template <class Byte>
Byte* input_of(ByteView from) {
  return reinterpret_cast<Byte*>(const_cast<std::byte*>(from.data()));
}

// Lends input and room to the library's stream for one call, and notes what it has moved.
template <class Byte, class Stream, class Call>
StreamStep run_step(Stream& stream, ByteView from, std::span<std::byte> into, Call&& call) {
  auto taken = static_cast<unsigned>(std::min(from.size(), kMostOfStep));
  auto given = static_cast<unsigned>(std::min(into.size(), kMostOfStep));
  stream.next_in = input_of<Byte>(from);
  stream.avail_in = taken;
  stream.next_out = reinterpret_cast<Byte*>(into.data());
  stream.avail_out = given;
  StreamStep::State state = call();
  return {taken - stream.avail_in, given - stream.avail_out, state};
}

class GzStream final : public StreamDecompressor {
 public:
  GzStream() {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream_, kGzipOnly + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~GzStream() override { inflateEnd(&stream_); }

  StreamStep step(ByteView from, std::span<std::byte> into) override {
    if (has_ended_ && inflateReset(&stream_) != Z_OK) throw std::bad_alloc();
    StreamStep step = run_step<Bytef>(stream_, from, into, [&] {
      int result = inflate(&stream_, Z_NO_FLUSH);
      if (result == Z_MEM_ERROR) throw std::bad_alloc();
      if (result == Z_STREAM_END) return StreamStep::State::ended;
      bool is_sound = result == Z_OK || result == Z_BUF_ERROR;  // the latter: nothing moved
      return is_sound ? StreamStep::State::going : StreamStep::State::damaged;
    });
    has_ended_ = step.state == StreamStep::State::ended;
    return step;
  }

 private:
  z_stream stream_{};
  bool has_ended_ = false;
};

class Bz2Stream final : public StreamDecompressor {
 public:
  Bz2Stream() { begin(); }
  ~Bz2Stream() override { BZ2_bzDecompressEnd(&stream_); }

  StreamStep step(ByteView from, std::span<std::byte> into) override {
    if (has_ended_) {
      BZ2_bzDecompressEnd(&stream_);
      begin();
    }
    StreamStep step = run_step<char>(stream_, from, into, [&] {
      int result = BZ2_bzDecompress(&stream_);
      if (result == BZ_MEM_ERROR) throw std::bad_alloc();
      if (result == BZ_STREAM_END) return StreamStep::State::ended;
      return result == BZ_OK ? StreamStep::State::going : StreamStep::State::damaged;
    });
    has_ended_ = step.state == StreamStep::State::ended;
    return step;
  }

 private:
  void begin() {
    stream_ = {};
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }

  bz_stream stream_{};
  bool has_ended_ = false;
};

class ZstdStream final : public StreamDecompressor {
 public:
  ZstdStream() : stream_(ZSTD_createDStream()) {
    if (!stream_) throw std::bad_alloc();
  }

  StreamStep step(ByteView from, std::span<std::byte> into) override {
    ZSTD_inBuffer input{from.data(), from.size(), 0};
    ZSTD_outBuffer output{into.data(), into.size(), 0};
    std::size_t result = ZSTD_decompressStream(stream_.get(), &output, &input);
    StreamStep::State state = StreamStep::State::going;
    if (is_zstd_damage(result)) {
      state = StreamStep::State::damaged;
    } else if (result == 0) {
      state = StreamStep::State::ended;
    }
    return {input.pos, output.pos, state};
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };
  std::unique_ptr<ZSTD_DStream, Free> stream_;
};

}  // namespace

struct StreamCompressor::Stream {
  struct Free {
    void operator()(ZSTD_CStream* stream) const { ZSTD_freeCStream(stream); }
  };
  std::unique_ptr<ZSTD_CStream, Free> zstd{ZSTD_createCStream()};
};

StreamCompressor::StreamCompressor() : stream_(std::make_unique<Stream>()) {
  if (!stream_->zstd) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(stream_->zstd.get(), ZSTD_c_checksumFlag, 1);
}
StreamCompressor::StreamCompressor(StreamCompressor&&) noexcept = default;
StreamCompressor::~StreamCompressor() = default;

StreamStep StreamCompressor::step(ByteView from, std::span<std::byte> into, bool is_last) {
  ZSTD_inBuffer input{from.data(), from.size(), 0};
  ZSTD_outBuffer output{into.data(), into.size(), 0};
  std::size_t left = ZSTD_compressStream2(stream_->zstd.get(), &output, &input,
                                          is_last ? ZSTD_e_end : ZSTD_e_continue);
  if (ZSTD_isError(left) != 0) throw std::bad_alloc();  // it has no other reason to fail
  bool is_done = is_last && left == 0;
  return {input.pos, output.pos, is_done ? StreamStep::State::ended : StreamStep::State::going};
}

std::string_view stream_compression(ByteView head) {
  std::string_view text = as_text(head);
  if (text.starts_with("\x1f\x8b")) return "gz";
  if (text.starts_with("BZh")) return "bz2";
  if (text.starts_with("\x28\xb5\x2f\xfd")) return "zstd";
  return "";
}

std::string_view stream_compression_named(std::string_view extension) {
  if (extension == ".gz" || extension == ".bz2") return extension.substr(1);
  return extension == ".zst" || extension == ".zstd" ? "zstd" : "";
}

std::unique_ptr<StreamDecompressor> make_stream_decompressor(std::string_view name) {
  if (name == "gz") return std::make_unique<GzStream>();
  if (name == "zstd") return std::make_unique<ZstdStream>();
  return std::make_unique<Bz2Stream>();
}

}  // namespace kitbag
