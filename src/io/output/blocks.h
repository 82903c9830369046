#pragma once

#include <cstddef>
#include <span>

namespace kitbag {

/// Blocks of memory to write from: aligned for every device, all zeros, touched once and for all
/// (on virtual machines the first touch of a page costs more than a copy into it).
class Blocks {
 public:
  /// Throws std::bad_alloc.
  Blocks(std::size_t count, std::size_t block_bytes);
  Blocks(Blocks&& other) noexcept;
  Blocks& operator=(Blocks&&) = delete;
  ~Blocks();

  std::size_t count() const { return count_; }
  std::size_t block_bytes() const { return block_bytes_; }
  std::byte* operator[](std::size_t block) const { return begin_ + block * block_bytes_; }
  std::span<std::byte> all() const { return {begin_, count_ * block_bytes_}; }

 private:
  std::size_t count_;
  std::size_t block_bytes_;
  std::span<std::byte> mapped_;
  std::byte* begin_;
};

}  // namespace kitbag
