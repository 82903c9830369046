#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/buffer.h"

// Numbers of several bytes, as Thrift and the encodings of Parquet have them.

namespace kitbag::parquet {

inline void put_byte(Buffer& out, std::uint8_t byte) {
  *out.extend(1) = std::byte{byte};
}

/// Seven bits a byte, the lowest first.
inline void put_unsigned(Buffer& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) put_byte(out, static_cast<std::uint8_t>(value | 0x80));
  put_byte(out, static_cast<std::uint8_t>(value));
}

/// The same for numbers with a sign: 0, -1, 1, -2, ...
inline void put_signed(Buffer& out, std::int64_t value) {
  auto bits = static_cast<std::uint64_t>(value);
  put_unsigned(out, bits << 1 ^ static_cast<std::uint64_t>(value >> 63));
}

/// `values` with `width` bits each, the lowest bits first; as many whole bytes as that takes.
template <class T>
void put_bits(Buffer& out, std::span<const T> values, unsigned width) {
  std::uint64_t waiting = 0;
  unsigned bits = 0;
  std::byte* to = out.extend((values.size() * width + 7) / 8);
  auto put = [&](unsigned count) {
    for (unsigned i = 0; i < count; ++i) *to++ = static_cast<std::byte>(waiting >> i * 8);
  };
  if (width == 0) return;
  for (T value : values) {
    waiting |= std::uint64_t{value} << bits;
    bits += width;
    if (bits < 64) continue;
    put(8);
    bits -= 64;
    waiting = bits == 0 ? 0 : std::uint64_t{value} >> (width - bits);
  }
  put((bits + 7) / 8);
}

}  // namespace kitbag::parquet
