#pragma once

#include <cstddef>
#include <span>

namespace kitbag {

/// Memory of the size of a huge page, which the system is asked to make one. Parts are cut from it
/// and never returned; it is released as a whole.
class HugeBlock {
 public:
  static constexpr std::size_t kBytes = std::size_t{2} << 20;

  /// Throws std::bad_alloc.
  HugeBlock();
  ~HugeBlock();
  HugeBlock(const HugeBlock&) = delete;
  HugeBlock& operator=(const HugeBlock&) = delete;

  std::size_t left() const { return left_.size(); }
  /// `bytes` is at most left().
  std::span<std::byte> cut(std::size_t bytes);

 private:
  std::span<std::byte> mapped_;
  std::span<std::byte> left_;
};

}  // namespace kitbag
