#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "compress/compression.h"
#include "compress/ordered_pool.h"
#include "io/pieces.h"
#include "kitbag/bag.h"

namespace kitbag {

/// Where a message stands in the chunk being filled.
struct IndexEntry {
  std::uint64_t time;  ///< as the format stores it
  std::uint32_t offset;
  std::uint32_t slot;
};

/// A payload that is not copied into its chunk, whose end it is. The pieces live until the chunk is
/// written.
struct Tail {
  std::span<const ByteView> pieces = {};
  std::size_t bytes = 0;
};

/// A chunk being filled, then compressed, then written. Formats append their records to `bytes` and
/// an entry to `index`; nothing is allocated for a message once the chunk has had its size.
struct ChunkBuilder {
  Buffer bytes;                   ///< records, uncompressed
  std::vector<IndexEntry> index;  ///< in the order of the records
  Time start = Time::max();       ///< earliest and latest log time
  Time end = Time::min();
  Tail tail;               ///< the last record's payload: see close_chunk()
  Buffer packed;           ///< the records compressed; unused without compression
  bool is_packed = false;  ///< these are stored, not the records as they are
  std::unique_ptr<Compressor> compressor;

  void note(Time time) {
    if (time < start) start = time;
    if (time > end) end = time;
  }
  void add(IndexEntry entry, Time time) {
    index.push_back(entry);
    note(time);
  }
  std::size_t size() const { return bytes.size() + tail.bytes; }
  /// What goes into the file, and then the tail.
  ByteView stored() const { return is_packed ? packed.view() : bytes.view(); }
  std::size_t stored_size() const { return stored().size() + tail.bytes; }
  void clear();
};

inline void copy_pieces(std::byte* to, std::span<const ByteView> pieces) {
  for (ByteView piece : pieces) {
    if (!piece.empty()) std::memcpy(to, piece.data(), piece.size());
    to += piece.size();
  }
}

/// A message of `channel` without its data.
inline Message head_of(const Channel& channel, const Stamp& stamp) {
  return {&channel, stamp.sequence, 0, stamp.log_time, stamp.publish_time, {}};
}

/// A message that is being made in the chunk that it goes into.
struct Reservation {
  std::uint32_t place = 0;  ///< of its channel
  Stamp stamp;
  std::size_t size = 0;          ///< of its payload, at most
  std::size_t bytes_before = 0;  ///< of the chunk: what stays of it without commit()
  std::size_t record_at = 0;     ///< in the chunk
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
/// next one is filled, and handed to `write` in order, on the caller's thread. Topics go by lanes:
/// each lane fills a chunk of its own, and all topics that the options do not name share the first.
/// One thread.
class ChunkPipe {
 public:
  using Write = std::function<void(ChunkBuilder&)>;
  /// What makes the stored bytes of a chunk from its records; one for each chunk under way.
  using MakeCompressor = std::function<std::unique_ptr<Compressor>()>;

  /// Without `make_packer` chunks are compressed as the options say, or stored as they are. One
  /// that does not shrink is stored as it is, unless `packs_all`. No chunk is closed at more than
  /// `most_bytes`.
  ChunkPipe(const WriteOptions& options, std::size_t most_bytes, Write write,
            MakeCompressor make_packer = {}, bool packs_all = false);

  /// The lane of a topic.
  std::uint32_t lane_of(const std::string& topic);
  /// The chunk that the lane fills.
  ChunkBuilder& chunk(std::uint32_t lane) { return *lanes_[lane].chunk; }
  /// Whether the chunk is closed before a record of this size: it would be too large, or the record
  /// fills a chunk by itself, and the present content is worth one. So small messages can be read
  /// without the large ones beside them.
  bool closes_before(std::uint32_t lane, std::size_t record_bytes) const {
    const Lane& one = lanes_[lane];
    std::size_t so_far = one.chunk->bytes.size();
    if (one.chunk->index.empty()) return false;
    bool is_worth_it = so_far >= one.chunk_bytes / kLeastPart;
    return (record_bytes >= one.chunk_bytes && is_worth_it) || so_far + record_bytes > most_bytes_;
  }
  /// Whether a message logged at `time` fills that chunk, which then has `bytes`.
  bool fills(std::uint32_t lane, std::size_t bytes, Time time) const {
    const Lane& one = lanes_[lane];
    return bytes >= one.chunk_bytes || (has_duration_ && spans_enough(*one.chunk, time));
  }
  /// Chunks are written where they are closed, so that a payload need not be copied into one.
  bool writes_at_once() const { return !make_packer_; }
  /// Sends the chunk on its way, if anything is in it, and begins the lane's next. `tail`, only
  /// where writes_at_once(): the payload of the last record, which is written from where it lies.
  void close_chunk(std::uint32_t lane, Tail tail = {});
  /// close_chunk() of all lanes, and all chunks are written when it returns.
  void drain();
  /// Uncompressed bytes that are not written yet.
  std::uint64_t pending_bytes() const;

 private:
  static constexpr std::size_t kLeastPart = 4;  ///< of a full chunk

  struct Lane {
    std::size_t chunk_bytes;
    std::unique_ptr<ChunkBuilder> chunk = std::make_unique<ChunkBuilder>();
  };

  bool spans_enough(const ChunkBuilder& chunk, Time time) const;

  std::vector<TopicChunks> topic_chunks_;
  std::size_t most_bytes_;
  Duration duration_;
  bool has_duration_;
  MakeCompressor make_packer_;  ///< empty: chunks are stored as they are
  std::uint64_t under_way_ = 0;
  std::vector<Lane> lanes_;
  std::map<std::string, std::uint32_t> lane_by_topic_;  ///< of topics with one of their own
  OrderedPool<ChunkBuilder> pool_;
};

}  // namespace kitbag
