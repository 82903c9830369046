#pragma once

#include <string_view>

#include "kitbag/registry.h"

namespace kitbag::packed {

/// What is unpacked at most: no bag of these times is near it, and what goes on is a bomb.
inline constexpr std::uint64_t kMostUnpackedBytes = std::uint64_t{1} << 40;

/// What is in the file, by its first bytes: to look at, not to read. `compression` is what
/// stream_compression() says. Without head where nothing can be unpacked.
Input peek_into(const Input& input, std::string_view compression);

/// The whole content. Where the stream is damaged or cut off, what comes out before it, and a
/// report. Throws Error: io when there is no room for it, unsupported beyond `limit` bytes.
Input unpack(const Input& input, std::string_view compression, const OnProblem& on_problem,
             std::uint64_t limit = kMostUnpackedBytes);

}  // namespace kitbag::packed
