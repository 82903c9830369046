#include "io/remote/block_cache.h"

#include "io/remote/disk_cache.h"
#include "kitbag/error.h"

// Blocks that make room for a request give their memory to those that it brings. So a cache that is
// full takes no more from the system, and what it has taken it keeps until it ends.
//
// A block is in the cache from its request on, so that a second reader waits for the same request.
// Until its bytes have come it is not dropped; and what a reader holds lives on when it is dropped.
// So the capacity is a measure, which may be exceeded for a while.

namespace kitbag {
namespace {

/// Smaller blocks, the last ones of files, do not get the memory of a whole one.
constexpr std::size_t kLeastSharedBytes = 128 << 10;

/// The same error as an object of its own: the thread that ends a request and those that wait for
/// it share none.
std::exception_ptr copied(const std::exception_ptr& error) {
  if (!error) {
    return std::make_exception_ptr(
        Error(ErrorCode::io, "a request ended before all bytes had come"));
  }
  try {
    std::rethrow_exception(error);
  } catch (const Error& known) {
    return std::make_exception_ptr(
        Error(known.code(), known.message(), known.file(), known.offset(), known.loss()));
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace

BlockCache::BlockCache(std::size_t capacity_bytes, std::unique_ptr<DiskCache> disk)
    : capacity_bytes_(capacity_bytes), disk_(std::move(disk)), pool_(capacity_bytes) {}

BlockCache::~BlockCache() = default;

std::uint64_t BlockCache::next_file() {
  std::lock_guard lock(mutex_);
  return ++files_;
}

bool BlockCache::has(std::uint64_t file, std::uint64_t number) const {
  std::lock_guard lock(mutex_);
  return blocks_.contains({file, number});
}

BlockCache::Place BlockCache::find_or_begin(std::uint64_t file, std::uint64_t number,
                                            std::size_t size_bytes) {
  std::lock_guard lock(mutex_);
  Key key{file, number};
  auto entry = blocks_.find(key);
  if (entry != blocks_.end()) {
    by_use_.splice(by_use_.begin(), by_use_, entry->second.place);
    return {entry->second.block, false};
  }
  auto block = std::make_shared<Block>();
  block->size_bytes = size_bytes;
  by_use_.push_front(key);
  blocks_.emplace(key, Entry{block, by_use_.begin()});
  held_bytes_ += size_bytes;
  make_room();
  return {block, true};
}

bool BlockCache::load(const std::string& identity, std::uint64_t number, Block& block) {
  if (!disk_ || identity.empty()) return false;
  auto bytes = memory(block.size_bytes);
  bytes->resize(block.size_bytes);
  if (!disk_->find(identity, number, bytes->span())) return false;
  complete(block, std::move(bytes));
  return true;
}

void BlockCache::store(const std::string& identity, std::uint64_t number, const BlockPtr& block) {
  if (disk_ && !identity.empty()) disk_->store(identity, number, block);
}

std::shared_ptr<Buffer> BlockCache::memory(std::size_t size_bytes) {
  bool is_shared = size_bytes >= kLeastSharedBytes;
  auto buffer = is_shared ? pool_.take(size_bytes) : std::make_shared<Buffer>();
  buffer->reserve(size_bytes);
  return buffer;
}

void BlockCache::complete(Block& block, std::shared_ptr<const Buffer> bytes) {
  std::lock_guard lock(mutex_);
  block.bytes = std::move(bytes);
  changed_.notify_all();
}

void BlockCache::fail(std::uint64_t file, std::uint64_t first, std::vector<BlockPtr> blocks,
                      const std::exception_ptr& error) {
  std::exception_ptr own = copied(error);
  std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks[i]->error = own;
    auto entry = blocks_.find({file, first + i});
    if (entry != blocks_.end() && entry->second.block == blocks[i]) erase(entry);
  }
  blocks.clear();
  own = nullptr;
  changed_.notify_all();
}

void BlockCache::wait(const Block& block) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return block.is_complete() || block.error; });
  if (block.error) std::rethrow_exception(block.error);
}

void BlockCache::forget(std::uint64_t file) {
  std::lock_guard lock(mutex_);
  for (auto entry = blocks_.lower_bound({file, 0});
       entry != blocks_.end() && entry->first.first == file;) {
    erase(entry++);
  }
}

std::size_t BlockCache::held_bytes() const {
  std::lock_guard lock(mutex_);
  return held_bytes_;
}

void BlockCache::make_room() {
  for (auto key = by_use_.end(); held_bytes_ > capacity_bytes_ && key != by_use_.begin();) {
    --key;
    auto entry = blocks_.find(*key);
    if (!entry->second.block->is_complete()) continue;
    ++key;  // erase() ends the iterator before it
    erase(entry);
  }
}

void BlockCache::erase(std::map<Key, Entry>::iterator entry) {
  held_bytes_ -= entry->second.block->size_bytes;
  by_use_.erase(entry->second.place);
  blocks_.erase(entry);
}

}  // namespace kitbag
