#pragma once

namespace kitbag::test {

/// True under AddressSanitizer, where a test that harms every byte of a bag, or compares thousands
/// of random cases, leaves some out: it tries all of them in release builds.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kIsSlow = true;
#else
inline constexpr bool kIsSlow = false;
#endif

}  // namespace kitbag::test
