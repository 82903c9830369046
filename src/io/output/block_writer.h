#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace kitbag {

/// A block on its way to the file. Address, size and offset are aligned as the file system wants.
struct BlockWrite {
  unsigned block;  ///< its number, below the count of blocks
  const std::byte* data;
  std::size_t size;
  std::uint64_t offset;
};

/// How the write of a block ended.
struct BlockEnd {
  unsigned block;
  int error;  ///< an errno; 0: all of it is written
};

/// Writes blocks in the background, several at a time, in no order. Waits for what is under way
/// before it goes. One thread at a time.
class BlockWriter {
 public:
  virtual ~BlockWriter() = default;

  /// Begins a write. The block must not be under way, and must not change until finished() returns
  /// it.
  virtual void submit(const BlockWrite& write) = 0;
  /// The next write that has ended. Nothing: none yet, or, with `waits`, nothing is under way.
  virtual std::optional<BlockEnd> finished(bool waits) = 0;
};

/// By io_uring: up to `blocks` writes at once, out of `memory`. Null where the system has
/// none, or forbids it.
std::unique_ptr<BlockWriter> make_ring_writer(int file, std::span<std::byte> memory,
                                              unsigned blocks);

/// By pwrite(2), one write after the other on one thread.
std::unique_ptr<BlockWriter> make_thread_writer(int file);

}  // namespace kitbag
