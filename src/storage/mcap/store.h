#pragma once

#include <memory>

#include "kitbag/bag.h"
#include "storage/chunked/chunk_store.h"
#include "storage/mcap/index.h"

namespace kitbag::mcap {

/// An opened file, as the chunked engine wants it.
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
  bool has_publish_times() const override { return true; }
  bool has_chunks() const override { return index_.has_chunks; }
  ChunkSummary summarize(std::size_t chunk) const override;
  Error damage(std::size_t chunk, const std::string& message) const override;
  const ReadOptions& options() const override { return options_; }
  std::shared_ptr<ChunkCache> cache() const override { return file_->cache(); }

  const BagIndex& index() const { return index_; }

 private:
  class Filling;

  std::uint64_t end_of(std::size_t chunk) const;
  std::uint64_t promised(std::size_t chunk) const;
  std::size_t most_wanted(std::size_t chunk, const Wanted& wanted, std::size_t bytes) const;
  std::optional<ChunkPlace> place_of(std::size_t chunk) const;
  ChunkBody body_of(std::size_t chunk, const std::optional<ChunkPlace>& place,
                    Caching caching) const;
  void verify(std::size_t chunk, Filling& filling) const;
  void salvage(std::size_t chunk, const std::optional<ChunkPlace>& place, const ChunkBody& body,
               std::string what, Filling& filling) const;
  Error loss_of(std::size_t chunk, const std::string& what, const std::optional<Loss>& loss,
                ErrorCode code = ErrorCode::corrupt) const;

  std::shared_ptr<const ChunkFile> file_;
  BagIndex index_;
  ReadOptions options_;
  ChannelsPtr channels_;
};

}  // namespace kitbag::mcap
