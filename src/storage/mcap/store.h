#pragma once

#include <memory>

#include "kitbag/bag.h"
#include "storage/chunked/indexed_store.h"
#include "storage/mcap/index.h"

namespace kitbag::mcap {

/// An opened file, as the engine for chunks needs it.
class Store final : public IndexedStore<ChunkFile, BagIndex> {
 public:
  Store(std::shared_ptr<const ChunkFile> file, BagIndex index, ReadOptions options);

  void load(std::size_t chunk, const Wanted& wanted, LoadedChunk& into,
            const Fetch& fetch) const override;
  bool positions(std::size_t chunk, const Wanted& wanted,
                 std::vector<Position>& into) const override;
  bool has_publish_times() const override { return true; }
  bool has_chunks() const override { return index_.has_chunks; }
  ChunkSummary summarize(std::size_t chunk) const override;

 private:
  class Filling;

  std::size_t most_wanted(std::size_t chunk, const Wanted& wanted, std::size_t bytes) const;
  std::optional<ChunkPlace> place_of(std::size_t chunk) const;
  ChunkBody body_of(std::size_t chunk, const std::optional<ChunkPlace>& place,
                    const Fetch& fetch) const;
  void tell_beyond(std::size_t chunk, Filling& filling) const;
  void verify(std::size_t chunk, Filling& filling) const;
  void salvage(std::size_t chunk, const std::optional<ChunkPlace>& place, const ChunkBody& body,
               std::string what, Filling& filling) const;
};

}  // namespace kitbag::mcap
