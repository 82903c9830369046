#include "compress/stream.h"

#include <bzlib.h>
#include <zlib.h>

#include <algorithm>
#include <new>

namespace kitbag {
namespace {

// Both libraries count in unsigned int.
constexpr std::size_t kMostOfStep = std::size_t{1} << 30;

// Their interfaces are older than const: input is only read through these pointers.
template <class Byte>
Byte* input_of(ByteView from) {
  return reinterpret_cast<Byte*>(const_cast<std::byte*>(from.data()));
}

// Lends input and room to the library's stream for one call, and tells what it has moved.
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

}  // namespace

std::string_view stream_compression(ByteView head) {
  std::string_view text = as_text(head);
  if (text.starts_with("\x1f\x8b")) return "gz";
  if (text.starts_with("BZh")) return "bz2";
  return "";
}

std::unique_ptr<StreamDecompressor> make_stream_decompressor(std::string_view name) {
  if (name == "gz") return std::make_unique<GzStream>();
  return std::make_unique<Bz2Stream>();
}

}  // namespace kitbag
