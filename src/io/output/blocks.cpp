#include "io/output/blocks.h"

#include <sys/mman.h>

#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace kitbag {

Blocks::Blocks(std::size_t count, std::size_t block_bytes)
    : count_(count), block_bytes_(block_bytes) {
  constexpr std::size_t kHugePageBytes = 2 << 20;
  std::size_t bytes = count * block_bytes;
  std::size_t space = bytes + kHugePageBytes;
  void* place = ::mmap(nullptr, space, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) throw std::bad_alloc();
  mapped_ = {static_cast<std::byte*>(place), space};
  begin_ = static_cast<std::byte*>(std::align(kHugePageBytes, bytes, place, space));
  // Both are wishes. Without the second a fork() in the middle of a write would leave the child or
  // us with a copy of the page, and the device reads from the other one.
  ::madvise(begin_, bytes, MADV_HUGEPAGE);
  ::madvise(begin_, bytes, MADV_DONTFORK);
  // The first touch, here and not during the first write of each block.
  std::memset(begin_, 0, bytes);
}

Blocks::Blocks(Blocks&& other) noexcept
    : count_(other.count_),
      block_bytes_(other.block_bytes_),
      mapped_(std::exchange(other.mapped_, {})),
      begin_(other.begin_) {}

Blocks::~Blocks() {
  if (!mapped_.empty()) ::munmap(mapped_.data(), mapped_.size());
}

}  // namespace kitbag
