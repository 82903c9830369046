#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include "kitbag/bytes.h"

namespace kitbag::arrow {

class MemoryPool;

/// A buffer of a column while it is filled: 64-byte aligned, as Arrow recommends. It goes back to
/// its pool when it is destroyed. One thread at a time.
class Memory {
 public:
  /// Arrow's recommendation, which is a cache line too.
  static constexpr std::size_t kAlignment = 64;

  explicit Memory(std::shared_ptr<MemoryPool> pool) : pool_(std::move(pool)) {}
  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&& other) noexcept;
  ~Memory();

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }

  /// Room for `bytes` more, uninitialized; where they begin. Throws std::bad_alloc.
  std::byte* extend(std::size_t bytes) {
    if (bytes > capacity_ - size_) grow(size_ + bytes);
    return data_ + std::exchange(size_, size_ + bytes);
  }
  void append(ByteView bytes) {
    if (!bytes.empty()) std::memcpy(extend(bytes.size()), bytes.data(), bytes.size());
  }
  /// When memory is needed, there will be room for so many bytes at once.
  void expect(std::size_t bytes) { expected_ = bytes; }
  void shrink(std::size_t size) { size_ = size; }

 private:
  void grow(std::size_t capacity);

  std::shared_ptr<MemoryPool> pool_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::size_t expected_ = 0;
};

/// Keeps the blocks of buffers that were given back: writing into memory that was touched before
/// costs a fraction of writing into new memory. Any thread.
class MemoryPool {
 public:
  /// Keeps at most `idle_bytes`.
  explicit MemoryPool(std::size_t idle_bytes);
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  struct Block {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
  };
  /// Throws std::bad_alloc.
  Block take(std::size_t bytes);
  void give_back(Block block) noexcept;

 private:
  struct Shelves;
  std::unique_ptr<Shelves> shelves_;
};

}  // namespace kitbag::arrow
