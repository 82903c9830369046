#pragma once

#include <cstdint>
#include <string>

#include "kitbag/error.h"

namespace kitbag {

/// A remark on the bag at `path`, which ends at `end`: an append that was not completed has left
/// `bytes` after it. The bag is as good as before.
Error unfinished_append(const std::string& path, std::uint64_t end, std::uint64_t bytes);

}  // namespace kitbag
