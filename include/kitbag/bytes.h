#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace kitbag {

/// Bytes that somebody else owns.
using ByteView = std::span<const std::byte>;

/// Keeps whatever it stands for alive: a chunk, an arena, a mapped file.
using Owner = std::shared_ptr<const void>;

/// Bytes that are written with an owner, so many or more in one piece, may be written from where
/// they lie.
inline constexpr std::size_t kLendBytes = 256 << 10;

/// The bytes of `text`; valid as long as `text` is.
inline ByteView as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// `bytes` read as text, unchecked; valid as long as `bytes` is.
inline std::string_view as_text(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace kitbag
