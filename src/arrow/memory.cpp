#include "arrow/memory.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>

// Sizes are powers of two, so that blocks can be found by size: buffers of one column are alike
// from batch to batch, and those of different columns take each other's blocks. The first touch of
// memory is what costs (the system clears each page), so a block that was given back is worth
// keeping, whoever takes it next. Consumers release batches on their own threads: hence the lock,
// and hence a pool that buffers share ownership of.
//
// Memory is not cleared. Columns write all that they hand over.

namespace kitbag::arrow {

namespace {

constexpr std::size_t kLeastBlockBytes = 1024;

void free_block(std::byte* data) {
  std::free(data);
}

}  // namespace

Memory::Memory(Memory&& other) noexcept
    : pool_(other.pool_),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, 0)),
      expected_(other.expected_) {}

Memory& Memory::operator=(Memory&& other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(capacity_, other.capacity_);
  std::swap(expected_, other.expected_);
  return *this;
}

Memory::~Memory() {
  if (data_) pool_->give_back({data_, capacity_});
}

void Memory::grow(std::size_t capacity) {
  MemoryPool::Block block = pool_->take(std::max({capacity, capacity_ * 2, expected_}));
  if (size_ > 0) std::memcpy(block.data, data_, size_);
  if (data_) pool_->give_back({data_, capacity_});
  data_ = block.data;
  capacity_ = block.bytes;
}

/// A shelf for each power of two.
struct MemoryPool::Shelves {
  std::mutex mutex;
  std::array<std::vector<Block>, 64> shelves;
  std::size_t idle_bytes = 0;
  std::size_t limit = 0;
};

MemoryPool::MemoryPool(std::size_t idle_bytes) : shelves_(std::make_unique<Shelves>()) {
  shelves_->limit = idle_bytes;
}

MemoryPool::~MemoryPool() {
  for (auto& shelf : shelves_->shelves) {
    for (const Block& block : shelf) free_block(block.data);
  }
}

MemoryPool::Block MemoryPool::take(std::size_t bytes) {
  // std::bit_ceil() has no result for more.
  if (bytes > PTRDIFF_MAX / 2) throw std::bad_alloc();
  bytes = std::bit_ceil(std::max(bytes, kLeastBlockBytes));
  {
    std::lock_guard lock(shelves_->mutex);
    auto& shelf = shelves_->shelves.at(static_cast<std::size_t>(std::countr_zero(bytes)));
    if (!shelf.empty()) {
      Block block = shelf.back();
      shelf.pop_back();
      shelves_->idle_bytes -= block.bytes;
      return block;
    }
  }
  auto* data = static_cast<std::byte*>(std::aligned_alloc(Memory::kAlignment, bytes));
  if (!data) throw std::bad_alloc();
  return {data, bytes};
}

void MemoryPool::give_back(Block block) noexcept {
  try {
    std::lock_guard lock(shelves_->mutex);
    if (block.bytes <= shelves_->limit - shelves_->idle_bytes) {
      auto index = static_cast<std::size_t>(std::countr_zero(block.bytes));
      shelves_->shelves.at(index).push_back(block);
      shelves_->idle_bytes += block.bytes;
      return;
    }
  } catch (const std::bad_alloc&) {
    // The list of idle blocks cannot grow: this block is not kept.
  }
  free_block(block.data);
}

}  // namespace kitbag::arrow
