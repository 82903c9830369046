#include "parquet/delta.h"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>

#include "parquet/varint.h"

// Differences are computed modulo 2^32 or 2^64, as readers add them up: no value needs more bits
// than it has. What is packed is how much a difference is above the smallest one of its block.

namespace kitbag::parquet {

namespace {

constexpr std::size_t kBlock = 128;
constexpr std::size_t kParts = 4;  ///< of a block, each with a width of its own
constexpr std::size_t kPart = kBlock / kParts;

template <class T>
void put_block(Buffer& out, std::span<const T> values, T before) {
  using Signed = std::make_signed_t<T>;
  std::array<T, kBlock> above{};
  auto least = std::numeric_limits<Signed>::max();
  for (std::size_t i = 0; i < values.size(); ++i) {
    above.at(i) = static_cast<T>(values[i] - before);
    before = values[i];
    least = std::min(least, static_cast<Signed>(above.at(i)));
  }
  for (std::size_t i = 0; i < values.size(); ++i) above.at(i) -= static_cast<T>(least);
  put_signed(out, least);
  std::array<unsigned, kParts> widths{};
  for (std::size_t part = 0; part < kParts; ++part) {
    T all = 0;
    for (std::size_t i = 0; i < kPart; ++i) all |= above.at(part * kPart + i);
    widths.at(part) = static_cast<unsigned>(std::bit_width(all));
    put_byte(out, static_cast<std::uint8_t>(widths.at(part)));
  }
  // Parts behind the last value have a width and no bytes.
  for (std::size_t part = 0; part * kPart < values.size(); ++part) {
    put_bits(out, std::span<const T>(above).subspan(part * kPart, kPart), widths.at(part));
  }
}

template <class T>
void put_all(Buffer& out, std::span<const T> values) {
  put_unsigned(out, kBlock);
  put_unsigned(out, kParts);
  put_unsigned(out, values.size());
  put_signed(out, values.empty() ? 0 : static_cast<std::make_signed_t<T>>(values.front()));
  for (std::size_t i = 1; i < values.size(); i += kBlock) {
    put_block(out, values.subspan(i, std::min(kBlock, values.size() - i)), values[i - 1]);
  }
}

}  // namespace

void put_deltas(Buffer& out, std::span<const std::uint32_t> values) {
  put_all(out, values);
}

void put_deltas(Buffer& out, std::span<const std::uint64_t> values) {
  put_all(out, values);
}

}  // namespace kitbag::parquet
