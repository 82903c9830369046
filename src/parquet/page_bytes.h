#pragma once

#include <cstdint>
#include <string>

#include "base/little_endian.h"
#include "kitbag/bytes.h"
#include "kitbag/error.h"

// What readers of pages share: errors, and bytes that are taken from the front.

namespace kitbag::parquet {

[[noreturn]] inline void fail_corrupt(const std::string& what) {
  throw Error(ErrorCode::corrupt, what);
}

[[noreturn]] inline void fail_truncated(const char* what = "a page of a column ends too early") {
  throw Error(ErrorCode::truncated, what);
}

/// Removes the first `size` bytes, which it returns. Throws Error (truncated).
inline ByteView take_front(ByteView& bytes, std::uint64_t size) {
  if (size > bytes.size()) fail_truncated();
  ByteView taken = bytes.first(static_cast<std::size_t>(size));
  bytes = bytes.subspan(static_cast<std::size_t>(size));
  return taken;
}

/// The same for bytes behind their length, four bytes.
inline ByteView take_sized(ByteView& bytes) {
  return take_front(bytes, load_le<std::uint32_t>(take_front(bytes, sizeof(std::uint32_t)).data()));
}

}  // namespace kitbag::parquet
