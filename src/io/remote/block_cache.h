#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/buffer.h"

namespace kitbag {

/// A part of a remote file. Its members are guarded by the cache that it was begun in; the bytes of
/// one that is complete never change.
struct Block {
  std::shared_ptr<const Buffer> bytes;  ///< null before it is complete
  std::size_t size_bytes = 0;           ///< when it is complete, at least 1
  std::exception_ptr error;             ///< it will not become complete

  bool is_complete() const { return bytes != nullptr; }
};

using BlockPtr = std::shared_ptr<Block>;

class DiskCache;

/// The blocks of all remote files of a process. Those that were used last stay; blocks on their way
/// count, and are never removed. Any thread.
class BlockCache {
 public:
  /// `disk` keeps blocks beyond the process; null: nothing does.
  explicit BlockCache(std::size_t capacity_bytes, std::unique_ptr<DiskCache> disk = nullptr);
  ~BlockCache();
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;

  /// A number that no other file has.
  std::uint64_t next_file();
  std::size_t capacity_bytes() const { return capacity_bytes_; }

  /// Whether the block is there or on its way.
  bool has(std::uint64_t file, std::uint64_t number) const;
  /// A block, and whether the caller has to fill it.
  struct Place {
    BlockPtr block;
    bool is_new = false;
  };
  /// Returns the block that is there or on its way, or begins it.
  Place find_or_begin(std::uint64_t file, std::uint64_t number, std::size_t size_bytes);
  /// Completes a block that was begun from the disk, if it is there. `identity` is that of its
  /// file; nothing is on the disk for an empty one.
  bool load(const std::string& identity, std::uint64_t number, Block& block);
  /// Stores a complete block on the disk, if there is one.
  void store(const std::string& identity, std::uint64_t number, const BlockPtr& block);
  /// Returns an empty buffer for the bytes of a block.
  std::shared_ptr<Buffer> memory(std::size_t size_bytes);
  /// Completes a block that was begun.
  void complete(Block& block, std::shared_ptr<const Buffer> bytes);
  /// Ends blocks that cannot be completed, those from `first` on: who waits for one gets the error.
  /// All are removed in one step, so whoever asks next requests them again. This call keeps neither
  /// the blocks nor the error when it returns.
  void fail(std::uint64_t file, std::uint64_t first, std::vector<BlockPtr> blocks,
            const std::exception_ptr& error);
  /// Returns when the block is complete. Throws its error.
  void wait(const Block& block);
  /// Removes all blocks of the file.
  void forget(std::uint64_t file);
  /// The bytes of blocks that are there or on their way.
  std::size_t held_bytes() const;

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;
  struct Entry {
    BlockPtr block;
    std::list<Key>::iterator place;
  };

  void make_room();
  void erase(std::map<Key, Entry>::iterator entry);

  const std::size_t capacity_bytes_;
  const std::unique_ptr<DiskCache> disk_;
  BufferPool pool_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Key, Entry> blocks_;
  std::list<Key> by_use_;  ///< the one that was used last comes first
  std::size_t held_bytes_ = 0;
  std::uint64_t files_ = 0;
};

}  // namespace kitbag
