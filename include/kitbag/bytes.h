#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace kitbag {

/// A view of bytes that another object owns.
using ByteView = std::span<const std::byte>;

/// Keeps memory alive: a chunk, an arena, a mapped file.
using Owner = std::shared_ptr<const void>;

/// Minimum size of a payload that a Feed keeps with its owner instead of copying it.
inline constexpr std::size_t kLendBytes = 256 << 10;

/// Returns the bytes of `text`. Valid as long as `text` is.
inline ByteView as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// Returns `bytes` as text, unchecked. Valid as long as `bytes` is.
inline std::string_view as_text(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace kitbag
