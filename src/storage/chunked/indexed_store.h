#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "storage/chunked/chunk_store.h"

namespace kitbag {

/// What is said of a chunk whose times in the index are wrong.
inline constexpr const char* kWrongChunkTimes =
    "this chunk holds messages outside the time range in the index, so queries by time may miss "
    "messages or give them out of order; repair the bag";

/// Takes the messages of a chunk as they are found, and keeps those that are wanted.
class ChunkFilling {
 public:
  ChunkFilling(const Channels& channels, const Wanted& wanted, LoadedChunk& into)
      : channels_(channels), wanted_(wanted), into_(into) {}

  /// The log time of each message, wanted or not.
  void note(Time log_time) {
    earliest_ = std::min(earliest_, log_time);
    latest_ = std::max(latest_, log_time);
  }
  /// A message of a slot; its channel need not be set. `time` is the one that the query refers to.
  void add(std::uint32_t slot, Time time, Message message) {
    if (!wanted_.has(slot) || !wanted_.has(time)) return;
    into_.in_time_order &= time >= last_;
    last_ = time;
    message.channel = channels_[slot].get();
    into_.messages.emplace_back(message);
  }
  /// A message of a channel that the index does not have.
  void add_stranger() { ++strangers_; }
  /// A definition in the chunk contradicts the index.
  void contradict() { is_contradicted_ = true; }
  /// The memory that the messages point into.
  template <class Body>
  void keep(const Body& body) {
    into_.bytes_pinned = body.bytes_pinned;
    into_.is_packed = body.is_packed;
    into_.base = body.content.data();
    into_.owner = body.owner;
  }
  void tell(Error problem) { into_.problems.push_back(std::move(problem)); }
  /// Discards what was added.
  void restart() {
    into_.clear();
    strangers_ = 0;
    is_contradicted_ = false;
    earliest_ = Time::max();
    last_ = latest_ = Time::min();
  }

  std::uint64_t strangers() const { return strangers_; }
  bool is_contradicted() const { return is_contradicted_; }
  /// Log times of all messages; without any, the earliest is the greater one.
  Time earliest() const { return earliest_; }
  Time latest() const { return latest_; }

 private:
  const Channels& channels_;
  const Wanted& wanted_;
  LoadedChunk& into_;
  std::uint64_t strangers_ = 0;
  bool is_contradicted_ = false;
  Time last_ = Time::min();
  Time earliest_ = Time::max();
  Time latest_ = Time::min();
};

/// The common part of the stores of formats with an index: the chunks as the index describes them.
/// `File` reads the chunks of a file; `Index` has a table and channels().
template <class File, class Index>
class IndexedStore : public ChunkStore {
 public:
  const ChunkTable& table() const final { return index_.table; }
  const ChannelsPtr& channels() const final { return channels_; }
  void prefetch(std::uint64_t offset, std::uint64_t size) const final {
    file_->file().prefetch(offset, size);
  }
  Error damage(std::size_t chunk, const std::string& message) const final {
    return loss_of(chunk, message, std::nullopt);
  }
  const ReadOptions& options() const final { return options_; }
  std::shared_ptr<ChunkCache> cache() const final { return file_->cache(); }

 protected:
  IndexedStore(std::shared_ptr<const File> file, Index index, ReadOptions options)
      : file_(std::move(file)),
        index_(std::move(index)),
        options_(std::move(options)),
        channels_(index_.channels()) {}

  /// Damage of a chunk that costs messages, or may cost some.
  Error loss_of(std::size_t chunk, const std::string& what, const std::optional<Loss>& loss,
                ErrorCode code = ErrorCode::corrupt) const {
    return {code, what, file_->path(), index_.table.chunks[chunk].offset, loss};
  }

  /// Whether a reader of a time range may miss a message between `earliest` and `latest`, because
  /// the index gives other times for its chunk. Where they are not sure, readers also look into the
  /// nearest chunk behind their range.
  bool has_wrong_times(std::size_t chunk, Time earliest, Time latest) const {
    const Chunk& declared = index_.table.chunks[chunk];
    if (latest > declared.end) return true;
    if (earliest >= declared.start) return false;
    if (index_.table.are_times_sure) return true;
    const auto& chunks = index_.table.chunks;
    return std::any_of(chunks.begin(), chunks.end(), [&](const Chunk& other) {
      return &other != &declared && other.start > earliest && other.start <= declared.start;
    });
  }

  /// Reports messages outside the times that the index gives for their chunk. Readers that do not
  /// load the chunk have missed them.
  void verify_times(std::size_t chunk, ChunkFilling& filling) const {
    if (!has_wrong_times(chunk, filling.earliest(), filling.latest())) return;
    filling.tell(damage(chunk, kWrongChunkTimes));
  }

  std::shared_ptr<const File> file_;
  Index index_;
  ReadOptions options_;
  ChannelsPtr channels_;
};

}  // namespace kitbag
