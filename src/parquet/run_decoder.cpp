#include "parquet/run_decoder.h"

#include <algorithm>
#include <cstring>

#include "base/little_endian.h"
#include "kitbag/error.h"
#include "parquet/page_bytes.h"

// The encoding RLE of Parquet (Encodings.md, number 3). A header with seven bits a byte begins each
// run, and its lowest bit tells which kind it is:
//
//     n << 1         n times the value that follows in as many whole bytes as `width` takes
//     n << 1 | 1     n groups of eight values of `width` bits each, the lowest bits first
//
// A few bytes can claim any number of values. So a run is not unpacked when it begins: fill() makes
// the values that are asked for.

namespace kitbag::parquet {

namespace {

constexpr std::uint64_t kRunGroup = 8;  // numbers in bits come by groups
constexpr unsigned kMostRunBits = 32;

std::uint64_t mask_of(unsigned width) {
  return width >= 64 ? UINT64_MAX : (std::uint64_t{1} << width) - 1;
}

}  // namespace

std::uint64_t take_unsigned(ByteView& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (bytes.empty()) fail_truncated();
    auto byte = std::to_integer<unsigned>(bytes.front());
    bytes = bytes.subspan(1);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return value;
  }
  throw Error(ErrorCode::corrupt, "a number in a page of a column has too many bytes");
}

std::int64_t take_signed(ByteView& bytes) {
  std::uint64_t bits = take_unsigned(bytes);
  return static_cast<std::int64_t>(bits >> 1 ^ (0 - (bits & 1)));
}

std::uint64_t bits_at(ByteView bytes, std::uint64_t first, unsigned width) {
  if (width == 0) return 0;
  std::size_t at = first / 8;
  auto shift = static_cast<unsigned>(first % 8);
  if (bytes.size() - at > sizeof(std::uint64_t)) {  // nearly always
    std::uint64_t value = load_le<std::uint64_t>(bytes.data() + at) >> shift;
    // A wide value that does not begin with a byte reaches into a ninth one.
    if (shift + width > 64) {
      value |= std::to_integer<std::uint64_t>(bytes[at + sizeof value]) << (64 - shift);
    }
    return value & mask_of(width);
  }
  std::uint64_t value = 0;
  // Near the end there is no ninth byte, so the value ends within eight.
  std::memcpy(&value, bytes.data() + at, std::min(bytes.size() - at, sizeof value));
  return value >> shift & mask_of(width);
}

RunDecoder::RunDecoder(ByteView bytes, unsigned width) : bytes_(bytes), width_(width) {
  if (width > kMostRunBits) {
    throw Error(ErrorCode::corrupt, "the numbers in a page of a column have too many bits");
  }
}

void RunDecoder::next_run() {
  while (left_ == 0) {
    std::uint64_t header = take_unsigned(bytes_);
    is_repeated_ = (header & 1) == 0;
    if (is_repeated_) {
      left_ = header >> 1;
      std::size_t size = (width_ + 7) / 8;
      if (size > bytes_.size()) fail_truncated();
      value_ = 0;
      std::memcpy(&value_, bytes_.data(), size);
      value_ &= static_cast<std::uint32_t>(mask_of(width_));
      bytes_ = bytes_.subspan(size);
    } else {
      std::uint64_t groups = header >> 1;
      // The last run may end within its groups: some writers leave out what fills them up.
      std::uint64_t most = width_ == 0 ? groups : (bytes_.size() + width_ - 1) / width_;
      groups = std::min(groups, most);
      std::size_t size = std::min<std::uint64_t>(groups * width_, bytes_.size());
      left_ = width_ == 0 ? groups * kRunGroup : std::min(groups * kRunGroup, size * 8 / width_);
      bits_ = bytes_.first(size);
      bytes_ = bytes_.subspan(size);
      bit_ = 0;
      if (left_ == 0 && bytes_.empty()) fail_truncated();
    }
  }
}

template <class T>
void RunDecoder::fill(std::span<T> out) {
  while (!out.empty()) {
    next_run();
    auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, out.size()));
    if (is_repeated_) {
      std::fill_n(out.begin(), count, static_cast<T>(value_));
    } else {
      for (std::size_t i = 0; i < count; ++i, bit_ += width_) {
        out[i] = static_cast<T>(bits_at(bits_, bit_, width_));
      }
    }
    left_ -= count;
    out = out.subspan(count);
  }
}

void RunDecoder::read(std::span<std::uint32_t> out) {
  fill(out);
}

void RunDecoder::read(std::span<std::uint8_t> out) {
  fill(out);
}

}  // namespace kitbag::parquet
