#include "stream/backlog.h"

#include <algorithm>
#include <utility>

// What waits is limited by the cost of its messages, and what it holds in memory may be much more:
// a batch keeps whole chunks. Dropping messages releases nothing, because owners belong to the
// batch. So a batch whose messages are less than a quarter of what it pins is copied together, from
// 1 MiB on, below which a copy is not worth it. Extras (attachments, metadata) are never dropped:
// nobody sends them again.

namespace kitbag {
namespace {

/// How many messages at the front cost `bytes` together, or just more.
std::size_t count_worth(const Batch& batch, std::size_t bytes) {
  std::size_t count = 0;
  std::size_t cost = 0;
  for (const Message& message : batch.messages()) {
    if (cost >= bytes) break;
    cost += Backlog::cost(message);
    ++count;
  }
  return count;
}

/// How many messages at the front cost `bytes` at most.
std::size_t count_within(const Batch& batch, std::size_t bytes) {
  std::size_t count = 0;
  for (const Message& message : batch.messages()) {
    if (Backlog::cost(message) > bytes) break;
    bytes -= Backlog::cost(message);
    ++count;
  }
  return count;
}

constexpr std::size_t kCompactFrom = 1 << 20;

}  // namespace

void compact_if_wasteful(Batch& batch) {
  if (batch.pinned() > kCompactFrom && batch.pinned() / 4 > batch.payload()) batch.compact();
}

void Backlog::push(Batch&& batch) {
  used_ += cost(batch);
  batches_.push_back(std::move(batch));
}

void Backlog::add(const Message& message) {
  used_ += cost(message);
  back().add(message);
}

Batch Backlog::take() {
  Batch batch = std::move(batches_.front());
  batches_.pop_front();
  used_ -= cost(batch);
  return batch;
}

void Backlog::clear() {
  batches_.clear();
  used_ = 0;
}

void Backlog::drop_all() {
  for (const Batch& batch : batches_) {
    for (const Message& message : batch.messages()) count_dropped(*message.channel);
  }
  clear();
}

void Backlog::make_room(std::size_t bytes, std::vector<Extra>& extras) {
  while (!has_room(bytes)) {
    Batch& oldest = front();
    std::size_t before = cost(oldest);
    std::size_t excess = used_ + bytes - capacity_;
    drop_front(oldest, count_worth(oldest, excess));
    used_ -= before - cost(oldest);
    if (oldest.empty()) {
      extras.insert(extras.begin(), oldest.extras.begin(), oldest.extras.end());
      batches_.pop_front();
    } else {
      compact_if_wasteful(oldest);
    }
  }
}

void Backlog::cut(Batch& incoming) {
  Batch kept;
  kept.take_front(incoming, count_within(incoming, capacity_ - std::min(used_, capacity_)));
  drop_front(incoming, incoming.messages().size());
  compact_if_wasteful(kept);
  incoming = std::move(kept);
}

void Backlog::count_dropped(const Channel& channel, std::uint64_t messages) {
  if (channel.slot >= dropped_.size()) dropped_.resize(channel.slot + 1);
  dropped_[channel.slot] += messages;
}

void Backlog::drop_front(Batch& batch, std::size_t count) {
  for (const Message& message : batch.messages().first(count)) {
    count_dropped(*message.channel);
  }
  Batch gone;
  gone.take_front(batch, count);
  batch.extras = std::move(gone.extras);  // only messages are dropped
}

}  // namespace kitbag
