#include "storage/chunked/chunk_pipe.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace kitbag {

namespace {

/// Chunks under way. The same on most machines, so that a split by size, which counts what is
/// written, falls on the same message.
constexpr unsigned kPoolDepth = 8;

ChunkPipe::MakeCompressor packer_of(const WriteOptions& options) {
  if (options.compression == "none") return {};
  return [name = options.compression] { return make_compressor(name); };
}

/// Where chunks are stored as they are the pool has nothing to do.
unsigned pool_threads(const WriteOptions& options, bool packs) {
  if (!packs) return 0;
  return options.threads > 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace

void ChunkBuilder::clear() {
  bytes.clear();
  index.clear();
  packed.clear();
  tail = {};
  start = Time::max();
  end = Time::min();
}

const std::vector<IndexBySlot::Group>& IndexBySlot::sort(const std::vector<IndexEntry>& index) {
  groups_.clear();
  counts_.clear();
  for (const IndexEntry& entry : index) {
    if (entry.slot >= counts_.size()) counts_.resize(entry.slot + 1, 0);
    ++counts_[entry.slot];
  }
  sorted_.resize(index.size());
  std::uint32_t start = 0;
  for (std::uint32_t slot = 0; slot < counts_.size(); ++slot) {
    std::uint32_t count = std::exchange(counts_[slot], start);
    if (count > 0) groups_.push_back({slot, std::span(sorted_).subspan(start, count)});
    start += count;
  }
  for (const IndexEntry& entry : index) sorted_[counts_[entry.slot]++] = entry;
  return groups_;
}

ChunkPipe::ChunkPipe(const WriteOptions& options, Write write, MakeCompressor make_packer)
    : make_packer_(make_packer ? std::move(make_packer) : packer_of(options)),
      chunk_(std::make_unique<ChunkBuilder>()),
      pool_(
          pool_threads(options, !writes_at_once()),
          std::max(kPoolDepth, pool_threads(options, !writes_at_once()) + 2),
          [](ChunkBuilder& chunk) {
            if (chunk.compressor) chunk.compressor->compress(chunk.bytes.view(), chunk.packed);
          },
          [this, write = std::move(write)](ChunkBuilder& chunk) {
            under_way_ -= chunk.size();
            write(chunk);
          }) {}

void ChunkPipe::close_chunk(ByteView tail) {
  chunk_->tail = tail;
  if (chunk_->size() == 0) return;
  if (make_packer_ && !chunk_->compressor) chunk_->compressor = make_packer_();
  under_way_ += chunk_->size();
  pool_.submit(std::move(chunk_));
  chunk_ = pool_.take();
  chunk_->clear();
}

void ChunkPipe::drain() {
  close_chunk();
  pool_.drain();
}

}  // namespace kitbag
