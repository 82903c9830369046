#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/error.h"
#include "model/chunk_cache.h"

namespace kitbag {

/// How many messages of one channel a chunk holds.
struct ChannelCount {
  std::uint32_t slot;
  std::uint32_t messages;
};

/// One chunk, as the index describes it. The times are a hint: writers get them wrong, so a reader
/// relies on what it finds inside.
struct Chunk {
  std::uint64_t offset;       ///< of its record in the file
  Time start;                 ///< earliest log time
  Time end;                   ///< latest log time
  std::uint32_t first_count;  ///< in ChunkTable::counts
  std::uint32_t channels;     ///< entries there, or kAnyChannels

  /// The index does not say which channels the chunk has.
  static constexpr std::uint32_t kAnyChannels = UINT32_MAX;
};

/// The index of a bag in flat arrays: 32 bytes a chunk and 8 a channel in it.
struct ChunkTable {
  std::vector<Chunk> chunks;  ///< by offset
  std::vector<ChannelCount> counts;
  /// False: the number of messages in a chunk is uncertain; its channels are certain nevertheless.
  bool are_counts_sure = true;
  /// True: no message lies outside the times of its chunk, or it is damage. False: writers get the
  /// times wrong, by little.
  bool are_times_sure = false;
  std::uint64_t data_end = 0;  ///< all that belongs to the last chunk ends before

  std::span<const ChannelCount> counts_of(std::size_t chunk) const {
    const Chunk& c = chunks[chunk];
    if (c.channels == Chunk::kAnyChannels) return {};
    return std::span(counts).subspan(c.first_count, c.channels);
  }
  /// The expected number of messages in a chunk.
  std::uint64_t messages_of(std::size_t chunk) const {
    std::uint64_t messages = 0;
    for (const ChannelCount& count : counts_of(chunk)) messages += count.messages;
    return messages;
  }
  /// The offset before which all that belongs to a chunk ends.
  std::uint64_t end_of(std::size_t chunk) const {
    return chunk + 1 < chunks.size() ? chunks[chunk + 1].offset : data_end;
  }
};

/// Selects messages of a chunk.
struct Wanted {
  std::vector<std::uint8_t> slots;  ///< 1: this channel
  Time begin = Time::min();
  Time end = Time::max();  ///< excluded, but Time::max() means no end
  TimeField by = TimeField::log_time;

  /// The time of `message` that the query refers to.
  Time time_of(const Message& message) const {
    return by == TimeField::publish_time ? message.publish_time : message.log_time;
  }

  bool has(std::uint32_t slot) const { return slots[slot] != 0; }
  bool has(Time time) const { return is_within(time, begin, end); }
};

/// A chunk in memory. `messages` point into what `owner` keeps.
struct LoadedChunk {
  Owner owner;
  std::size_t bytes_pinned = 0;
  const std::byte* base = nullptr;  ///< offsets of positions count from here
  std::vector<Message> messages;    ///< those wanted, as stored
  bool in_time_order = true;        ///< of `messages`, by Wanted::by
  bool is_packed = false;           ///< it is compressed in the file
  std::vector<Error> problems;      ///< damage found, in the order in which it is to be reported

  /// Releases the messages and their memory; keeps the problems.
  void clear();
};

/// Where a message is, known from the index alone.
struct Position {
  Time time;
  std::uint32_t chunk;
  /// In the uncompressed chunk: behind the end of the message before, not behind the start of its
  /// own payload.
  std::uint32_t offset;
  std::uint32_t slot = 0;  ///< of its channel
};

/// What a chunked format provides to the engine. Immutable; its members may be called from many
/// threads.
class ChunkStore {
 public:
  virtual ~ChunkStore() = default;

  virtual const ChunkTable& table() const = 0;
  virtual const ChannelsPtr& channels() const = 0;
  /// Fetches one chunk (reads, unpacks and verifies it, which is the same for all readers, who may
  /// share it by cache()), and picks the wanted messages into `into`, whose memory is reused.
  /// Intact messages are given; damage is added to the problems there, and reported by the user of
  /// the chunk. Throws Error (cancelled) if `fetch.stop` is requested while it is unpacked.
  virtual void load(std::size_t chunk, const Wanted& wanted, LoadedChunk& into,
                    const Fetch& fetch) const = 0;
  /// The cache that shares fetched chunks and limits reading ahead; null: none.
  virtual std::shared_ptr<ChunkCache> cache() const { return nullptr; }
  /// Says that these bytes of the file will be read soon: ReadFile::prefetch().
  virtual void prefetch(std::uint64_t /*offset*/, std::uint64_t /*size*/) const {}
  /// Adds the positions of the wanted messages, found in the chunk's own index, without reading the
  /// messages. False, and nothing is added: there is no sound index for this chunk.
  virtual bool positions(std::size_t chunk, const Wanted& wanted,
                         std::vector<Position>& into) const = 0;
  /// True: publish times may differ from log times.
  virtual bool has_publish_times() const { return false; }
  /// False: the file has no chunks of its own, these are stretches of it.
  virtual bool has_chunks() const { return true; }
  /// The contents of the chunk's header.
  virtual ChunkSummary summarize(std::size_t chunk) const = 0;
  /// An error for damage of a chunk, which names the file and the offset.
  virtual Error damage(std::size_t chunk, const std::string& message) const = 0;
  /// How the bag was opened.
  virtual const ReadOptions& options() const = 0;

  /// The listener for the damage that a reader finds: `its_own` if there is one, else that of the
  /// options.
  const OnProblem& listener(const OnProblem& its_own) const {
    return its_own ? its_own : options().on_problem;
  }
};

/// Reports what ChunkStore::load() has found, and clears it.
inline void report_problems(LoadedChunk& loaded, const OnProblem& on_problem) {
  for (const Error& problem : std::exchange(loaded.problems, {})) report(on_problem, problem);
}

}  // namespace kitbag
