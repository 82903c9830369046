#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>

namespace kitbag {

/// Memory of the size of a huge page, which the system is asked to make one. Its addresses are
/// released as a whole.
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
  /// Nothing more will be cut.
  void finish() { give_back(left_); }
  /// Returns the memory of a part to the system, which takes whole pages. Nobody may touch the part
  /// any more.
  static void give_back(std::span<std::byte> part) noexcept;

 private:
  std::span<std::byte> mapped_;
  std::span<std::byte> left_;
};

/// Cuts parts from blocks, one block after the other. The memory of a part is given back alone, so
/// that one that is kept for long does not keep that of its neighbours; its place is not used
/// again. Thread-safe.
class HugeBlocks {
 public:
  struct Part {
    std::shared_ptr<HugeBlock> block;  ///< keeps the memory
    std::span<std::byte> memory;
  };
  /// `bytes` is at most HugeBlock::kBytes. Throws std::bad_alloc.
  Part cut(std::size_t bytes);

 private:
  std::mutex mutex_;
  std::shared_ptr<HugeBlock> block_;  ///< the last one
};

/// The blocks that everybody shares, so that many bags with one buffer each do not take a block
/// each.
std::shared_ptr<HugeBlocks> shared_blocks();

}  // namespace kitbag
