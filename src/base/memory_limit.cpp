#include "base/memory_limit.h"

#include <fmt/format.h>

namespace kitbag {

std::string MemoryLimit::exceeded(std::string_view what, std::uint64_t bytes, std::uint64_t most) {
  return fmt::format("{} of {} bytes, which exceeds the memory limit of {} bytes", what, bytes,
                     most);
}

}  // namespace kitbag
