#include "storage/chunked/chunk_pipe.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "kitbag/selector.h"

// Each lane fills a chunk. Closed chunks of all lanes go through one queue and are written in the
// order in which they were closed, whatever thread has compressed them. So the file does not depend
// on the number of threads.
//
// The depth of the queue is the same on most machines, for a similar reason: a split by size looks
// at the bytes that are written, and with another depth it would fall on another message.
//
// Without compression there is nothing to do in the background. Then chunks are written by the
// caller at once, and a large payload can go from the caller's memory to the file as the tail of
// its chunk.
//
// The entries of a chunk's index are sorted by slot by counting: one pass counts, one places. The
// order within a slot stays that of the records.

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
  return packs ? thread_count(options.threads) : 0;
}

}  // namespace

void ChunkBuilder::clear() {
  bytes.clear();
  index.clear();
  packed.clear();
  is_packed = false;
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

ChunkPipe::ChunkPipe(const WriteOptions& options, std::size_t most_bytes, Write write,
                     MakeCompressor make_packer, bool packs_all)
    : topic_chunks_(options.topic_chunks),
      most_bytes_(most_bytes),
      duration_(options.chunk_duration),
      has_duration_(duration_ > Duration::zero()),
      make_packer_(make_packer ? std::move(make_packer) : packer_of(options)),
      pool_(
          pool_threads(options, !writes_at_once()),
          std::max(kPoolDepth, pool_threads(options, !writes_at_once()) + 2),
          [packs_all](ChunkBuilder& chunk) {
            if (!chunk.compressor) return;
            chunk.compressor->compress(chunk.bytes.view(), chunk.packed);
            chunk.is_packed = packs_all || chunk.packed.size() < chunk.bytes.size();
          },
          [this, write = std::move(write)](ChunkBuilder& chunk) {
            under_way_ -= chunk.size();
            write(chunk);
          }) {
  lanes_.push_back({std::min(options.chunk_bytes, most_bytes)});
}

std::uint32_t ChunkPipe::lane_of(const std::string& topic) {
  if (topic_chunks_.empty()) return 0;
  auto [place, is_new] = lane_by_topic_.try_emplace(topic, 0);
  if (!is_new) return place->second;
  auto found =
      std::find_if(topic_chunks_.begin(), topic_chunks_.end(),
                   [&](const TopicChunks& chunks) { return matches_glob(chunks.topics, topic); });
  if (found == topic_chunks_.end()) return 0;
  place->second = static_cast<std::uint32_t>(lanes_.size());
  lanes_.push_back({std::min(found->chunk_bytes, most_bytes_)});
  return place->second;
}

/// Unsigned, because times may lie further apart than a Duration can say.
bool ChunkPipe::spans_enough(const ChunkBuilder& chunk, Time time) const {
  if (chunk.index.empty()) return false;
  auto span = static_cast<std::uint64_t>(to_ns(std::max(chunk.end, time))) -
              static_cast<std::uint64_t>(to_ns(std::min(chunk.start, time)));
  return span >= static_cast<std::uint64_t>(duration_.count());
}

void ChunkPipe::close_chunk(std::uint32_t lane, Tail tail) {
  std::unique_ptr<ChunkBuilder>& chunk = lanes_[lane].chunk;
  chunk->tail = tail;
  if (chunk->size() == 0) return;
  if (make_packer_ && !chunk->compressor) chunk->compressor = make_packer_();
  under_way_ += chunk->size();
  pool_.submit(std::move(chunk));
  chunk = pool_.take();
  chunk->clear();
}

void ChunkPipe::drain() {
  for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) close_chunk(lane);
  pool_.drain();
}

std::uint64_t ChunkPipe::pending_bytes() const {
  std::uint64_t bytes = under_way_;
  for (const Lane& lane : lanes_) bytes += lane.chunk->size();
  return bytes;
}

}  // namespace kitbag
