#pragma once

#include <bit>

#include "base/little_endian.h"

// SQLite stores numbers the most significant byte first.

namespace kitbag::sqlite3 {

inline std::uint16_t load_be16(const std::byte* from) {
  return __builtin_bswap16(load_le<std::uint16_t>(from));
}
inline std::uint32_t load_be32(const std::byte* from) {
  return __builtin_bswap32(load_le<std::uint32_t>(from));
}
inline std::uint64_t load_be64(const std::byte* from) {
  return __builtin_bswap64(load_le<std::uint64_t>(from));
}

}  // namespace kitbag::sqlite3
