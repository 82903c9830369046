#pragma once

#include <cstdint>

namespace kitbag::test {

inline constexpr std::int64_t kMs = 1'000'000;  ///< in nanoseconds, as kSecond is
inline constexpr std::int64_t kSecond = 1'000'000'000;
inline constexpr std::size_t kMiB = std::size_t{1} << 20;  ///< in bytes

}  // namespace kitbag::test
