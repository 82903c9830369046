#include <lz4frame.h>

#include <algorithm>
#include <new>
#include <string_view>

#include "base/little_endian.h"
#include "compress/lz4.h"
#include "compress/lz4_block.h"
#include "compress/xxh32.h"
#include "kitbag/error.h"

// The library is fed exactly as many bytes as it asks for, which is one block and the size of the
// next at a time. That costs nothing, and it tells where the input was last sound: when the library
// refuses a block, or the input ends within it, the blocks before it have come out, and the block
// itself is salvaged as far as it goes. (Given everything at once, the library reports damage
// without telling how much it has written.) Before each block there is room for a full one behind
// the output, since only then the library decodes in place and not by way of its own buffer.
//
// The checksum over the content is verified here, see xxh32.cpp, where it is the only one.

namespace kitbag {
namespace {

// What one byte of LZ4 input can give at most; bounds what a promised size may reserve.
constexpr std::size_t kLz4MaxRatio = 255;
constexpr std::size_t kLz4Slack = 64 * 1024;

class Lz4Decompressor final : public Decompressor {
 public:
  Lz4Decompressor() {
    if (LZ4F_isError(LZ4F_createDecompressionContext(&context_, LZ4F_VERSION))) {
      throw std::bad_alloc();
    }
  }
  ~Lz4Decompressor() override { LZ4F_freeDecompressionContext(context_); }

  Decompressed decompress(ByteView from, std::size_t expected, std::size_t limit, Buffer& to,
                          const std::stop_token& stop) override;

 private:
  // Where one call stands.
  struct Progress {
    ByteView from;
    std::size_t at = 0;           ///< what was consumed
    std::size_t out = 0;          ///< what came out
    std::size_t wanted = 0;       ///< what the library asks for next; 0: between frames
    std::size_t frame_begin = 0;  ///< of the frame under way, in the input
    std::size_t frame_out = 0;    ///< what had come out before it
  };

  bool feed(Progress& progress, std::size_t limit, Buffer& to);
  static bool is_cut(const Progress& before, ByteView from) {
    return before.wanted > from.size() - before.at;
  }
  static unsigned flags_of(const Progress& progress) {
    return std::to_integer<unsigned>(progress.from[progress.frame_begin + kLz4FlagsAt]);
  }
  static bool is_ours_to_check(const Progress& progress);
  static bool has_right_checksum(const Progress& progress, const Buffer& to);
  static std::size_t block_bytes(ByteView from, std::size_t frame_begin);
  static std::size_t salvage(const Progress& before, Buffer& to);

  LZ4F_dctx* context_ = nullptr;
};

// What a block of the frame at `frame_begin` holds at most, as its header says.
std::size_t Lz4Decompressor::block_bytes(ByteView from, std::size_t frame_begin) {
  if (from.size() - frame_begin <= kLz4BlockSizeAt) return 0;
  auto id = std::to_integer<unsigned>(from[frame_begin + kLz4BlockSizeAt]) >> 4U & 7U;
  return id < 4 ? 0 : std::size_t{1} << (8 + 2 * id);
}

// True behind the header of a frame that has the content checksum alone; the library can only leave
// out all of them. A frame that is skipped has other things where its flags would be.
bool Lz4Decompressor::is_ours_to_check(const Progress& progress) {
  constexpr std::uint32_t kFrameMagic = 0x184d2204;
  if (progress.at < progress.frame_begin + LZ4F_HEADER_SIZE_MIN) return false;
  auto magic = load_le<std::uint32_t>(progress.from.data() + progress.frame_begin);
  return magic == kFrameMagic &&
         (flags_of(progress) & (kLz4ContentChecksum | kLz4BlockChecksums)) == kLz4ContentChecksum;
}

// Whether the content of the frame that ends here has the right checksum.
bool Lz4Decompressor::has_right_checksum(const Progress& progress, const Buffer& to) {
  if (!is_ours_to_check(progress)) return true;
  std::uint32_t checksum = load_le<std::uint32_t>(progress.from.data() + progress.at - 4);
  ByteView content(to.data() + progress.frame_out, progress.out - progress.frame_out);
  return xxh32(content) == checksum;
}

// Gives the library what it wants next; false when that is damaged.
bool Lz4Decompressor::feed(Progress& progress, std::size_t limit, Buffer& to) {
  std::size_t block = block_bytes(progress.from, progress.frame_begin);
  to.resize(progress.out);
  to.reserve(progress.out + block, std::min(limit, SIZE_MAX - block) + block);
  std::size_t taken = std::min(progress.wanted, progress.from.size() - progress.at);
  std::size_t given = to.capacity() - progress.out;
  LZ4F_decompressOptions_t options{};
  options.skipChecksums = is_ours_to_check(progress) ? 1 : 0;
  std::size_t wanted = LZ4F_decompress(context_, to.data() + progress.out, &given,
                                       progress.from.data() + progress.at, &taken, &options);
  if (LZ4F_isError(wanted)) {
    std::string_view why = LZ4F_getErrorName(wanted);
    if (why == "ERROR_allocation_failed") throw std::bad_alloc();  // says nothing of the input
    return false;
  }
  progress.at += taken;
  progress.out += given;
  progress.wanted = wanted;
  return wanted > 0 || has_right_checksum(progress, to);
}

// What the block holds that the library was fed at `before` and did not take whole; how many bytes
// have come out then. Elsewhere than in a block there is nothing to save.
std::size_t Lz4Decompressor::salvage(const Progress& before, Buffer& to) {
  constexpr std::size_t kBlockHeader = 4;
  if (before.at < before.frame_begin + LZ4F_HEADER_SIZE_MIN + kBlockHeader) return before.out;
  unsigned flags = flags_of(before);
  auto header = load_le<std::uint32_t>(before.from.data() + before.at - kBlockHeader);
  std::size_t size = header & 0x7fffffffU;
  std::size_t checksum = flags & kLz4BlockChecksums ? 4 : 0;
  if (size == 0 || before.wanted != size + checksum + kBlockHeader) return before.out;
  ByteView block = before.from.subspan(before.at);
  block = block.first(std::min(size, block.size()));
  std::size_t history = flags & kLz4IndependentBlocks ? 0 : before.out - before.frame_out;
  std::size_t room = block_bytes(before.from, before.frame_begin);
  to.resize(before.out + room);
  if (header >> 31U) {  // stored as it is
    std::size_t count = std::min(room, block.size());
    std::copy_n(block.begin(), count, to.data() + before.out);
    return before.out + count;
  }
  auto place = to.span().subspan(before.out - history);
  return before.out + salvage_lz4_block(block, place, history);
}

Decompressed Lz4Decompressor::decompress(ByteView from, std::size_t expected, std::size_t limit,
                                         Buffer& to, const std::stop_token& stop) {
  LZ4F_resetDecompressionContext(context_);
  to.clear();
  std::size_t possible = from.size() > (SIZE_MAX / 2) / kLz4MaxRatio
                             ? SIZE_MAX / 2
                             : from.size() * kLz4MaxRatio + kLz4Slack;
  to.reserve(std::min({expected, limit, possible}) + block_bytes(from, 0));
  Progress progress{.from = from};
  Progress before;
  bool sound = true;
  while (sound && progress.at < from.size() && progress.out <= limit) {
    throw_if_stopped({stop});  // block by block
    if (progress.wanted == 0) {
      progress.wanted = LZ4F_HEADER_SIZE_MIN;
      progress.frame_begin = progress.at;
      progress.frame_out = progress.out;
    }
    before = progress;
    sound = feed(progress, limit, to);
  }
  bool complete = sound && progress.at > 0 && progress.wanted == 0 && progress.out <= limit;
  if (!sound || (!complete && is_cut(before, from))) progress.out = salvage(before, to);
  to.resize(std::min(progress.out, limit));
  // Less than a header is not the beginning of a frame, but something else.
  bool headless = progress.wanted != 0 && progress.at < progress.frame_begin + LZ4F_HEADER_SIZE_MIN;
  return {complete, headless ? progress.frame_begin : progress.at};
}

}  // namespace

std::unique_ptr<Decompressor> make_lz4_decompressor() {
  return std::make_unique<Lz4Decompressor>();
}

}  // namespace kitbag
