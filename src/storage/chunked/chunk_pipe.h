#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "compress/compression.h"
#include "compress/ordered_pool.h"
#include "kitbag/bag.h"

namespace kitbag {

/// Where a message stands in the chunk being filled.
struct IndexEntry {
  std::uint64_t time;  ///< as the format stores it
  std::uint32_t offset;
  std::uint32_t slot;
};

/// A chunk being filled, then compressed, then written. Formats append their records to `bytes` and
/// an entry to `index`; nothing is allocated for a message once the chunk has had its size.
struct ChunkBuilder {
  Buffer bytes;                   ///< records, uncompressed
  std::vector<IndexEntry> index;  ///< in the order of the records
  Time start = Time::max();       ///< earliest and latest log time
  Time end = Time::min();
  ByteView tail;  ///< the last record's payload, where it lies: see close_chunk()
  Buffer packed;  ///< the records compressed; unused without compression
  std::unique_ptr<Compressor> compressor;

  void note(Time time) {
    if (time < start) start = time;
    if (time > end) end = time;
  }
  std::size_t size() const { return bytes.size() + tail.size(); }
  /// What goes into the file, and then the tail.
  ByteView stored() const { return compressor ? packed.view() : bytes.view(); }
  std::size_t stored_size() const { return stored().size() + tail.size(); }
  void clear();
};

/// Index entries sorted by slot, each slot's in the order of the records.
class IndexBySlot {
 public:
  /// Valid until the next call.
  struct Group {
    std::uint32_t slot;
    std::span<const IndexEntry> entries;
  };
  const std::vector<Group>& sort(const std::vector<IndexEntry>& index);

 private:
  std::vector<std::uint32_t> counts_;
  std::vector<IndexEntry> sorted_;
  std::vector<Group> groups_;
};

/// From open chunks to chunks in the file: each closed chunk is compressed on the pool, while the
/// next one is filled, and handed to `write` in order, on the caller's thread. One thread.
class ChunkPipe {
 public:
  using Write = std::function<void(ChunkBuilder&)>;
  /// What makes the stored bytes of a chunk from its records; one for each chunk under way.
  using MakeCompressor = std::function<std::unique_ptr<Compressor>()>;

  /// Without `make_packer` chunks are compressed as the options say, or stored as they are.
  ChunkPipe(const WriteOptions& options, Write write, MakeCompressor make_packer = {});

  /// The chunk being filled.
  ChunkBuilder& chunk() { return *chunk_; }
  /// Chunks are written where they are closed, so that a payload may stay with its owner.
  bool writes_at_once() const { return !make_packer_; }
  /// Sends the chunk on its way, if anything is in it, and begins the next. `tail`, only where
  /// writes_at_once(): the payload of the last record, which is written from where it lies.
  void close_chunk(ByteView tail = {});
  /// close_chunk(), and all chunks are written when it returns.
  void drain();
  /// Uncompressed bytes that are not written yet.
  std::uint64_t pending_bytes() const { return under_way_ + chunk_->size(); }

 private:
  MakeCompressor make_packer_;  ///< empty: chunks are stored as they are
  std::uint64_t under_way_ = 0;
  std::unique_ptr<ChunkBuilder> chunk_;
  OrderedPool<ChunkBuilder> pool_;
};

}  // namespace kitbag
