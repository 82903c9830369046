#pragma once

#include <memory>

#include "kitbag/registry.h"
#include "storage/chunked/indexed_store.h"
#include "storage/rosbag/chunk_walk.h"
#include "storage/rosbag/index.h"

namespace kitbag::rosbag {

/// An opened bag, as the engine for chunks needs it.
class Store final : public IndexedStore<ChunkFile, BagIndex> {
 public:
  Store(std::shared_ptr<const ChunkFile> file, BagIndex index, ReadOptions options);

  void load(std::size_t chunk, const Wanted& wanted, LoadedChunk& into,
            const Fetch& fetch) const override;
  bool positions(std::size_t chunk, const Wanted& wanted,
                 std::vector<Position>& into) const override;
  ChunkSummary summarize(std::size_t chunk) const override;

 private:
  class Filling;

  std::optional<ChunkHead> head_of(std::size_t chunk) const;
  std::size_t index_bytes(std::size_t chunk) const;
  ChunkWalk walk(const ChunkBody& body, Filling& filling) const;
  void salvage(std::size_t chunk, const std::optional<ChunkHead>& head, std::string what,
               Filling& filling) const;
  ChunkBody damaged_body(std::size_t chunk, std::optional<ChunkHead>& head) const;
  ChunkBody headless_body(std::size_t chunk) const;
  void verify(std::size_t chunk, const ChunkBody& body, Filling& filling) const;
  void verify_index(std::size_t chunk, ByteView trailing, Filling& filling) const;
};

}  // namespace kitbag::rosbag
