#pragma once

#include <zstd.h>
#include <zstd_errors.h>

#include <cstddef>
#include <new>

namespace kitbag {

/// True: zstd has failed for its input's sake. Throws std::bad_alloc where memory was refused,
/// which says nothing of the input.
inline bool is_zstd_damage(std::size_t result) {
  if (ZSTD_isError(result) == 0) return false;
  if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation) throw std::bad_alloc();
  return true;
}

}  // namespace kitbag
