#include "compress/bz2.h"

#include <bzlib.h>
#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "kitbag/error.h"

// bzip2 sorts whole blocks of 100 to 900 kB. What is damaged is lost by blocks, since each has its
// own checksum and is given out only if that is right. A chunk of the usual size gets a block size
// just above its own: a reader allocates memory for a full block, four times its size, before it
// knows how much comes.
//
// Streams may follow one another in one chunk. Behind the last one other bytes may stand, where the
// end of the data was not known (a search for lost chunks). So `consumed` is where the last stream
// that gave anything has ended, and not where reading stopped.
//
// The output is limited by what the caller allows and not by what the file promises: one byte more
// than promised is given room, so that a stream which gives more is noticed.

namespace kitbag {
namespace {

// bzip2 counts in unsigned int; more is given in several steps. When it decompresses, whether it is
// to stop is looked at between them, which is ten times a second or so.
constexpr std::size_t kBz2Step = std::size_t{1} << 30;
constexpr std::size_t kBz2OutStep = std::size_t{4} << 20;
// The most that is reserved because the file promises it; the buffer grows with the actual output.
constexpr std::size_t kBz2MaxRatio = 255;
constexpr std::size_t kBz2Slack = 64 * 1024;

// Places what is left of `from` and the room of `to` where bzip2 takes and puts the next bytes.
class Bz2Window {
 public:
  Bz2Window(bz_stream& stream, ByteView from, Buffer& to, std::size_t most)
      : stream_(stream), from_(from), to_(to), most_(most) {
    to_.clear();
  }

  void open(std::size_t step) {
    taken_ = static_cast<unsigned>(std::min(left(), kBz2Step));
    given_ = static_cast<unsigned>(std::min(room() - to_.size(), step));
    // bzip2 only reads through this pointer; its interface is older than const.
    stream_.next_in = reinterpret_cast<char*>(const_cast<std::byte*>(from_.data() + at_));
    stream_.avail_in = taken_;
    stream_.next_out = reinterpret_cast<char*>(to_.data() + to_.size());
    stream_.avail_out = given_;
  }

  // Takes note of what was moved since open(); false if nothing was.
  bool close() {
    taken_ -= stream_.avail_in;
    given_ -= stream_.avail_out;
    at_ += taken_;
    to_.resize(to_.size() + given_);
    return taken_ + given_ > 0;
  }

  std::size_t at() const { return at_; }
  std::size_t left() const { return from_.size() - at_; }
  // Makes room where there is none.
  void make_room() {
    if (to_.size() == room()) to_.reserve(to_.size() + kBz2Slack, most_);
  }

 private:
  std::size_t room() const { return std::min(to_.capacity(), most_); }

  bz_stream& stream_;
  ByteView from_;
  Buffer& to_;
  std::size_t most_;  // bytes that come out
  std::size_t at_ = 0;
  unsigned taken_ = 0;
  unsigned given_ = 0;
};

class Bz2Compressor final : public Compressor {
 public:
  void compress(ByteView from, Buffer& to) override {
    // Blocks no larger than what goes in: a reader takes memory for a whole one.
    const int level = static_cast<int>(std::clamp<std::size_t>(from.size() / 100'000 + 1, 1, 9));
    bz_stream stream{};
    if (BZ2_bzCompressInit(&stream, level, 0, 0) != BZ_OK) throw std::bad_alloc();
    std::unique_ptr<bz_stream, int (*)(bz_stream*)> ending(&stream, BZ2_bzCompressEnd);
    Bz2Window window(stream, from, to, SIZE_MAX);
    to.reserve(from.size() + from.size() / 100 + 600);  // the bound that bzip2 promises
    int result = BZ_OK;
    while (result != BZ_STREAM_END) {
      window.make_room();
      window.open(kBz2Step);
      bool last = window.left() <= kBz2Step;
      result = BZ2_bzCompress(&stream, last ? BZ_FINISH : BZ_RUN);
      window.close();
      if (result < 0) {
        throw Error(ErrorCode::invalid, fmt::format("bz2 compression failed: error {}", result));
      }
    }
  }
};

class Bz2Decompressor final : public Decompressor {
 public:
  Decompressed decompress(ByteView from, std::size_t expected, std::size_t limit, Buffer& to,
                          const std::stop_token& stop) override;

 private:
  static bool next_stream(bz_stream& stream, Bz2Window& window, std::size_t limit, Buffer& to,
                          const std::stop_token& stop);
};

// One stream of those that may follow each other; true if it ended as it should.
bool Bz2Decompressor::next_stream(bz_stream& stream, Bz2Window& window, std::size_t limit,
                                  Buffer& to, const std::stop_token& stop) {
  if (BZ2_bzDecompressInit(&stream, 0, 0) != BZ_OK) throw std::bad_alloc();
  std::unique_ptr<bz_stream, int (*)(bz_stream*)> ending(&stream, BZ2_bzDecompressEnd);
  while (to.size() <= limit) {
    throw_if_stopped({stop});
    window.make_room();
    window.open(kBz2OutStep);
    int result = BZ2_bzDecompress(&stream);
    bool moved = window.close();
    if (result == BZ_MEM_ERROR) throw std::bad_alloc();
    if (result == BZ_STREAM_END) return true;
    if (result != BZ_OK || !moved) return false;
  }
  return false;
}

Decompressed Bz2Decompressor::decompress(ByteView from, std::size_t expected, std::size_t limit,
                                         Buffer& to, const std::stop_token& stop) {
  bz_stream stream{};
  Bz2Window window(stream, from, to, std::min(limit, SIZE_MAX - kBz2Slack) + kBz2Slack);
  std::size_t possible = std::min(from.size(), SIZE_MAX / 2 / kBz2MaxRatio) * kBz2MaxRatio;
  // One byte more than expected: a stream that gives more is detected.
  to.reserve(std::min({expected, limit, possible + kBz2Slack}) + 1);
  std::size_t sound = 0;  // behind what gave something; what follows a stream may be none
  bool complete = !from.empty();
  while (complete && window.left() > 0) {
    std::size_t before = to.size();
    complete = next_stream(stream, window, limit, to, stop) && to.size() <= limit;
    if (complete || to.size() > before) sound = window.at();
  }
  to.resize(std::min(to.size(), limit));
  return {complete, sound};
}

}  // namespace

std::unique_ptr<Compressor> make_bz2_compressor() {
  return std::make_unique<Bz2Compressor>();
}
std::unique_ptr<Decompressor> make_bz2_decompressor() {
  return std::make_unique<Bz2Decompressor>();
}

}  // namespace kitbag
