#pragma once

#include <cstdint>

#include "kitbag/file.h"

namespace kitbag {

/// Where a file ends whose writer allocated space ahead and died: what lies behind, and is longer
/// than a block of a file system, is zeros to the end. The size of any other file.
///
/// What was written ends somewhere before a multiple of 4096 bytes, at which this is rounded up:
/// bytes behind the last one that is not zero may have been written as zeros.
std::uint64_t end_of_written(const ReadFile& file);

}  // namespace kitbag
