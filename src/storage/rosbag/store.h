#pragma once

#include <memory>

#include "kitbag/registry.h"
#include "storage/chunked/chunk_store.h"
#include "storage/rosbag/chunk_walk.h"
#include "storage/rosbag/index.h"

namespace kitbag::rosbag {

/// An opened bag, as the chunked engine wants it.
class Store final : public ChunkStore {
 public:
  Store(std::shared_ptr<const ChunkFile> file, BagIndex index, ReadOptions options);

  const ChunkTable& table() const override { return index_.table; }
  const ChannelsPtr& channels() const override { return channels_; }
  void load(std::size_t chunk, const Wanted& wanted, LoadedChunk& into,
            Caching caching) const override;
  void prefetch(std::uint64_t offset, std::uint64_t size) const override {
    file_->file().prefetch(offset, size);
  }
  bool positions(std::size_t chunk, const Wanted& wanted,
                 std::vector<Position>& into) const override;
  ChunkSummary summarize(std::size_t chunk) const override;
  Error damage(std::size_t chunk, const std::string& message) const override;
  const ReadOptions& options() const override { return options_; }
  std::shared_ptr<ChunkCache> cache() const override { return file_->cache(); }

 private:
  class Filling;

  std::optional<ChunkHead> head_of(std::size_t chunk) const;
  std::size_t index_bytes(std::size_t chunk) const;
  std::uint64_t end_of(std::size_t chunk) const;
  std::uint64_t promised(std::size_t chunk) const;
  ChunkWalk walk(const ChunkBody& body, Filling& filling) const;
  void salvage(std::size_t chunk, const std::optional<ChunkHead>& head, std::string what,
               Filling& filling) const;
  ChunkBody damaged_body(std::size_t chunk, std::optional<ChunkHead>& head) const;
  ChunkBody headless_body(std::size_t chunk) const;
  void verify(std::size_t chunk, const ChunkBody& body, Filling& filling) const;
  void verify_index(std::size_t chunk, ByteView trailing, Filling& filling) const;
  Error loss_of(std::size_t chunk, const std::string& what, const std::optional<Loss>& loss,
                ErrorCode code = ErrorCode::corrupt) const;

  std::shared_ptr<const ChunkFile> file_;
  BagIndex index_;
  ReadOptions options_;
  ChannelsPtr channels_;
};

}  // namespace kitbag::rosbag
