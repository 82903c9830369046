#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kitbag {

static_assert(std::endian::native == std::endian::little, "kitbag stores and loads bytes as is");

/// The number stored at `from`, which need not be aligned; unchecked.
template <std::integral T>
T load_le(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

/// Stores `value` at `to`, which need not be aligned; returns the place behind it.
template <std::integral T>
std::byte* store_le(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof(T));
  return to + sizeof(T);
}

}  // namespace kitbag
