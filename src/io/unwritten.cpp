#include "io/unwritten.h"

#include <algorithm>
#include <cstddef>
#include <vector>

// Zeros at the end may be data, or space that a recorder has allocated (output/direct_output.cpp).
// A recorder allocates more than a page, and what it had written ends in some page. So the file is
// read backwards to the last byte that is not zero, and the rest of that page is counted as
// written. A sound file costs one read of 4 KiB.

namespace kitbag {

namespace {

constexpr std::uint64_t kDiskBlockBytes = 4096;
constexpr std::uint64_t kStepBytes = 1 << 20;

/// The end of the last byte before `end` that is not zero, or 0.
std::uint64_t end_of_content(const ReadFile& file, std::uint64_t end) {
  std::vector<std::byte> bytes;
  for (std::uint64_t step = kDiskBlockBytes; end > 0; step = kStepBytes) {
    std::uint64_t begin = end - std::min(end, step);
    bytes.resize(static_cast<std::size_t>(end - begin));
    bytes.resize(file.read(begin, bytes));
    auto last =
        std::find_if(bytes.rbegin(), bytes.rend(), [](std::byte b) { return b != std::byte{}; });
    if (last != bytes.rend()) return begin + static_cast<std::uint64_t>(bytes.rend() - last);
    end = begin;
  }
  return 0;
}

}  // namespace

std::uint64_t end_of_written(const ReadFile& file) {
  std::uint64_t size = file.size();
  std::uint64_t content = end_of_content(file, size);
  return std::min(size, (content + kDiskBlockBytes - 1) / kDiskBlockBytes * kDiskBlockBytes);
}

}  // namespace kitbag
