#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kitbag/bag.h"
#include "model/backward_walk.h"
#include "model/listed_times.h"
#include "storage/chunked/chunk_store.h"

namespace kitbag {

/// The Bag of every chunked format.
class ChunkedBag final : public Bag, public ListsTimes {
 public:
  /// `summary` brings what only the format knows (format, version, size, indexed); the times are
  /// worked out from the store, and the counts where it is sure of them. `file` is the bag's: it
  /// may grow while it has no index, so `summary.size_bytes` is what it had before it was read.
  ChunkedBag(std::shared_ptr<const ChunkStore> store, Summary summary,
             std::shared_ptr<const ReadFile> file, std::vector<Extra> extras = {});

  const Summary& summary() const override { return summary_; }
  std::unique_ptr<Source> read_messages(const Query& query, const Wait& wait) const override;
  Batch find_last(const LastQuery& query, const Wait& wait) const override;
  std::vector<Extra> extras() const override { return extras_; }
  std::vector<ChunkSummary> chunks() const override { return some_chunks(SIZE_MAX); }
  std::vector<ChunkSummary> some_chunks(std::size_t most) const override;
  Promise promise() const override;
  Growth growth() const override;
  void list_times(const std::vector<std::uint8_t>& slots, const OnProblem& on_problem,
                  const std::function<void(std::span<const ListedTime>)>& take,
                  const Wait& wait) const override;

 private:
  std::shared_ptr<const ChunkStore> store_;
  Summary summary_;
  std::shared_ptr<const ReadFile> file_;
  std::vector<Extra> extras_;
  mutable BackwardWalk walk_;  ///< if the index does not say which chunks have a channel
};

}  // namespace kitbag
