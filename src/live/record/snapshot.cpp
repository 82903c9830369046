#include "live/record/snapshot.h"

#include <utility>

// Whole batches are kept and dropped, so the oldest messages may be older than the limit by one
// batch. The last batch always stays, however large it is: a snapshot without the newest message
// would be of no use.
//
// A batch points into memory of its source. If a few messages of it keep a large block alive (a
// throttled or filtered recording), they are copied together, or 500 MB of messages would pin
// gigabytes. `bytes_` counts what is pinned, which is what the process needs.

namespace kitbag {

namespace {

/// A batch that keeps this many times its payload alive is copied together.
constexpr std::size_t kSparse = 4;

}  // namespace

/// What a batch costs while it is kept.
std::uint64_t SnapshotMemory::cost(const Batch& batch) {
  return batch.pinned() + batch.messages().size() * sizeof(Message);
}

bool SnapshotMemory::is_too_much() const {
  if (batches_.size() < 2) return false;
  if (limits_.bytes && bytes_ > *limits_.bytes) return true;
  auto last = std::as_const(batches_.back()).messages().back().log_time;
  // Until the whole batch is too old.
  auto oldest = std::as_const(batches_.front()).messages().back().log_time;
  return limits_.duration && saturating_difference(oldest, last) > *limits_.duration;
}

void SnapshotMemory::add(Batch&& batch) {
  if (batch.empty()) return;
  if (batch.pinned() > kSparse * batch.payload()) batch.compact();
  bytes_ += cost(batch);
  batches_.push_back(std::move(batch));
  while (is_too_much()) {
    bytes_ -= cost(batches_.front());
    on_forgotten_(std::move(batches_.front()));
    batches_.pop_front();
  }
}

void SnapshotMemory::clear() {
  bytes_ = 0;
  for (Batch& each : std::exchange(batches_, {})) on_forgotten_(std::move(each));
}

}  // namespace kitbag
