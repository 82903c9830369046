#include "base/huge_block.h"

#include <sys/mman.h>

#include <cstdint>
#include <memory>
#include <new>

#include "base/shared_in_process.h"

// The system makes a huge page only of an aligned range of 2 MiB. mmap() aligns to 4 KiB, so twice
// the addresses are taken, and the aligned half of them is used; the rest is never touched and
// costs no memory. Whether there will be a huge page is not known and not asked: without one, all
// works as with small pages.
//
// Memory goes back part by part (MADV_DONTNEED), the addresses only with the whole block. Giving
// back a part splits the huge page, which is why parts go back only when their buffer is not kept.

namespace kitbag {

HugeBlock::HugeBlock() {
  std::size_t space = 2 * kBytes;  // some of it stands before the first multiple of kBytes
  void* place = ::mmap(nullptr, space, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) throw std::bad_alloc();
  mapped_ = {static_cast<std::byte*>(place), space};
  left_ = {static_cast<std::byte*>(std::align(kBytes, kBytes, place, space)), kBytes};
  ::madvise(left_.data(), left_.size(), MADV_HUGEPAGE);  // a wish
}

HugeBlock::~HugeBlock() {
  ::munmap(mapped_.data(), mapped_.size());
}

std::span<std::byte> HugeBlock::cut(std::size_t bytes) {
  std::span<std::byte> part = left_.first(bytes);
  left_ = left_.subspan(bytes);
  return part;
}

void HugeBlock::give_back(std::span<std::byte> part) noexcept {
  constexpr std::uintptr_t kPage = 4096;
  auto begin = reinterpret_cast<std::uintptr_t>(part.data());
  // Only pages that lie wholly within: at the borders there may be a neighbour.
  std::uintptr_t first = (begin + kPage - 1) / kPage * kPage;
  std::uintptr_t end = (begin + part.size()) / kPage * kPage;
  if (first < end) ::madvise(part.data() + (first - begin), end - first, MADV_DONTNEED);
}

HugeBlocks::Part HugeBlocks::cut(std::size_t bytes) {
  std::lock_guard lock(mutex_);
  if (!block_ || block_->left() < bytes) {
    if (block_) block_->finish();
    block_ = std::make_shared<HugeBlock>();
  }
  return {block_, block_->cut(bytes)};
}

std::shared_ptr<HugeBlocks> shared_blocks() {
  static SharedInProcess<HugeBlocks> blocks;
  return blocks.get([] { return std::make_shared<HugeBlocks>(); });
}

}  // namespace kitbag
