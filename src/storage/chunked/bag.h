#pragma once

#include <memory>
#include <string>

#include "kitbag/bag.h"
#include "storage/chunked/chunk_store.h"

namespace kitbag {

/// The Bag of every chunked format.
class ChunkedBag final : public Bag {
 public:
  /// `summary` brings what only the format knows (format, version, size, indexed); the counts and
  /// times are worked out from the store.
  ChunkedBag(std::shared_ptr<const ChunkStore> store, Summary summary);

  const Summary& summary() const override { return summary_; }
  std::unique_ptr<Source> read(const Query& query) const override;
  std::vector<Extra> extras() const override { return store_->extras(); }
  std::vector<ChunkSummary> chunks() const override;

 private:
  std::shared_ptr<const ChunkStore> store_;
  Summary summary_;
};

}  // namespace kitbag
