#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "kitbag/bytes.h"

namespace kitbag {

class HugeBlock;

/// Bytes that grow and are never filled with zeros first. Memory that was touched once stays with
/// it: on many machines first touch costs more than the copy into it.
class Buffer {
 public:
  Buffer() = default;
  /// An empty buffer whose capacity is `memory`, a part of `block`.
  Buffer(std::shared_ptr<HugeBlock> block, std::span<std::byte> memory);
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  ByteView view() const { return {data_, size_}; }
  std::span<std::byte> span() { return {data_, size_}; }

  /// New bytes are uninitialized. Throws std::bad_alloc.
  void resize(std::size_t size) {
    reserve(size);
    size_ = size;
  }
  /// Grows by doubling, so that appending is linear in all.
  void reserve(std::size_t capacity) {
    if (capacity > capacity_) grow(capacity, SIZE_MAX);
  }
  /// The same, but doubling does not go beyond `most`.
  void reserve(std::size_t capacity, std::size_t most) {
    if (capacity > capacity_) grow(capacity, most);
  }
  void clear() { size_ = 0; }
  void append(ByteView bytes) {
    if (!bytes.empty()) std::memcpy(extend(bytes.size()), bytes.data(), bytes.size());
  }
  /// Room for `count` more bytes, uninitialized; where they begin.
  std::byte* extend(std::size_t count) {
    reserve(size_ + count);
    std::byte* place = data_ + size_;
    size_ += count;
    return place;
  }

 private:
  void grow(std::size_t capacity, std::size_t most);
  /// The memory goes; what the members say of it is for the caller to change.
  void release() noexcept;

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::shared_ptr<HugeBlock> block_;  ///< null: the memory is malloc()'s
};

/// Lends buffers and takes them back when their last owner is gone. Thread-safe; buffers may
/// outlive the pool.
///
/// The first touch of a page of 4 KiB costs 1.5 us on a virtual machine, nearly as much as
/// unpacking zstd into it. So buffers of the size of a chunk are cut from blocks of 2 MiB, which
/// are one huge page if the system has one; its first touch costs 40 us.
class BufferPool {
 public:
  /// Keeps at most `idle_bytes` of unused buffers.
  explicit BufferPool(std::size_t idle_bytes);

  /// An empty buffer for `bytes`. Its capacity may be less: it grows.
  std::shared_ptr<Buffer> take(std::size_t bytes = 0);

 private:
  struct Shelf;
  std::shared_ptr<Shelf> shelf_;
};

}  // namespace kitbag
