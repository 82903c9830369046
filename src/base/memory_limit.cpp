#include "base/memory_limit.h"

#include <fmt/format.h>

namespace kitbag {

std::string MemoryLimit::exceeded(std::string_view what, std::uint64_t bytes, std::uint64_t most) {
  return fmt::format("{} of {} bytes, more than the {} that it may take in memory", what, bytes,
                     most);
}

}  // namespace kitbag
