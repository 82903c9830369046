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
  void load(std::size_t chunk, const Wanted& wanted, LoadedChunk& into) const override;
  bool positions(std::size_t chunk, const Wanted& wanted,
                 std::vector<Position>& into) const override;
  ChunkSummary summarize(std::size_t chunk) const override;
  void report_damage(std::size_t chunk, const std::string& message) const override;

 private:
  ChunkHead head_of(std::size_t chunk) const;
  std::size_t index_bytes(std::size_t chunk) const;
  void verify_index(std::size_t chunk, ByteView trailing, const IndexSum& content) const;
  void verify_connection(std::size_t chunk, const Record& record) const;

  std::shared_ptr<const ChunkFile> file_;
  BagIndex index_;
  ReadOptions options_;
  ChannelsPtr channels_;
};

}  // namespace kitbag::rosbag
