#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "kitbag/error.h"
#include "kitbag/file.h"
#include "storage/chunked/chunk_store.h"
#include "storage/chunked/run_parser.h"

namespace kitbag {

/// The number of times in a list, and a sum that changes if any of them changes.
struct TimeSum {
  std::uint64_t count = 0;
  std::uint64_t mixed = 0;

  void add(Time time);
  void add(const TimeSum& other) {
    count += other.count;
    mixed += other.mixed;
  }
  bool operator==(const TimeSum&) const = default;
};

/// A plain run of records as chunks: stretches of half a megabyte, found in one pass over the file.
/// So the engine for bags with chunks also reads bags without chunks and index; this costs 40 bytes
/// of memory per chunk and 8 per channel in it, where a list of all messages would cost 16 per
/// message.
class RunStore final : public ChunkStore {
 public:
  /// Reads the run that begins at `begin` to the end of the file. Damage goes to
  /// `options.on_problem`; after it the next records are searched for.
  RunStore(std::shared_ptr<const ReadFile> file, std::string path, std::uint64_t begin,
           std::unique_ptr<RunParser> parser, ReadOptions options);

  const ChunkTable& table() const override { return table_; }
  const ChannelsPtr& channels() const override { return channels_; }
  void load(std::size_t chunk, const Wanted& wanted, LoadedChunk& into,
            const Fetch& fetch) const override;
  void prefetch(std::uint64_t offset, std::uint64_t size) const override {
    file_->prefetch(offset, size);
  }
  bool positions(std::size_t chunk, const Wanted& wanted,
                 std::vector<Position>& into) const override;
  bool has_chunks() const override { return false; }
  ChunkSummary summarize(std::size_t chunk) const override;
  Error damage(std::size_t chunk, const std::string& message) const override;
  const ReadOptions& options() const override { return options_; }

  /// The times of a channel's messages, as the run was read.
  TimeSum times(std::uint32_t slot) const {
    return slot < times_.size() ? times_[slot] : TimeSum();
  }

 private:
  friend class RunChunks;

  void name_channels();

  std::shared_ptr<const ReadFile> file_;
  std::string path_;
  std::unique_ptr<RunParser> parser_;
  ReadOptions options_;
  ChunkTable table_;
  std::vector<std::uint64_t> ends_;  ///< where each chunk ends in the file
  std::vector<TimeSum> times_;       ///< by slot
  RunKeys keys_;
  ChannelsPtr channels_;
  mutable BufferPool buffers_;
};

}  // namespace kitbag
