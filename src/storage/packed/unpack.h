#pragma once

#include <string_view>

#include "kitbag/registry.h"

namespace kitbag::packed {

/// What is unpacked at most, into a temporary file: no bag of these times is near it.
inline constexpr std::uint64_t kMostUnpackedBytes = std::uint64_t{1} << 40;
/// No bag shrinks so well: a file that unpacks to more than kUsualBytes, or
/// ReadOptions::max_memory_bytes if that is more, and to more than this many times its own size, is
/// a bomb.
inline constexpr std::uint64_t kMostUsualRatio = 256;
inline constexpr std::uint64_t kUsualBytes = std::uint64_t{256} << 20;

/// What is in the file, by its first bytes: to identify it, not to read it. `compression` is what
/// stream_compression() returns. Without head if nothing can be unpacked.
Input peek_into(const Input& input, std::string_view compression);

/// The whole content. Where the stream is damaged or cut off, what comes out before it, and a
/// report. Throws Error: io when there is no room for it, limit for a bomb and beyond `most` bytes.
Input unpack(const Input& input, std::string_view compression, const ReadOptions& options,
             std::uint64_t most = kMostUnpackedBytes);

}  // namespace kitbag::packed
