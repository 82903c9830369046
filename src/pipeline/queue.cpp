#include <algorithm>
#include <deque>
#include <utility>

#include "kitbag/pipeline.h"

namespace kitbag {
namespace {

/// What a message counts for in a queue.
std::size_t queue_cost(const Message& message) {
  return message.data.size() + sizeof(Message);
}
std::size_t queue_cost(const Batch& batch) {
  return batch.payload() + batch.messages().size() * sizeof(Message);
}

/// How many messages at the front cost `bytes` together, or just more.
std::size_t count_worth(const Batch& batch, std::size_t bytes) {
  std::size_t count = 0;
  std::size_t cost = 0;
  for (const Message& message : batch.messages()) {
    if (cost >= bytes) break;
    cost += queue_cost(message);
    ++count;
  }
  return count;
}

/// How many messages at the front cost `bytes` at most.
std::size_t count_within(const Batch& batch, std::size_t bytes) {
  std::size_t count = 0;
  for (const Message& message : batch.messages()) {
    if (queue_cost(message) > bytes) break;
    bytes -= queue_cost(message);
    ++count;
  }
  return count;
}

constexpr std::size_t kCompactFrom = 1 << 20;

/// A few small messages must not hold the chunks that they came in.
void compact_if_wasteful(Batch& batch) {
  if (batch.pinned() > kCompactFrom && batch.pinned() / 4 > batch.payload()) batch.compact();
}

}  // namespace

struct Queue::State {
  State(std::size_t capacity_bytes, OnFull when_full, Clock& with_clock)
      : capacity(capacity_bytes), on_full(when_full), clock(with_clock) {}

  // Each of these is called with `mutex` held.
  bool has_room(std::size_t bytes) const {
    return used == 0 || (bytes <= capacity && used <= capacity - bytes);
  }
  void check_writable() const;
  void push(Batch&& batch);
  void drop_oldest(Batch& incoming);
  void drop_newest(Batch& incoming);
  void drop_front(Batch& batch, std::size_t count);
  void end(std::exception_ptr with);

  const std::size_t capacity;
  const OnFull on_full;
  Clock& clock;

  mutable std::mutex mutex;
  std::condition_variable_any changed;
  std::deque<Batch> batches;
  std::size_t used = 0;  ///< cost of `batches`
  ChannelsPtr channels = std::make_shared<const Channels>();
  std::vector<std::uint64_t> dropped;  ///< by slot
  std::exception_ptr error;
  bool has_ended = false;
  bool is_abandoned = false;
};

void Queue::State::check_writable() const {
  if (is_abandoned) throw Error(ErrorCode::cancelled, "the reader of the queue has gone");
  if (has_ended) throw Error(ErrorCode::invalid, "a queue that is closed was written to");
}

void Queue::State::push(Batch&& batch) {
  bool declares = batch.channels && batch.channels != channels;
  if (batch.empty() && batch.extras.empty() && !declares) return;
  if (declares) channels = batch.channels;
  batch.channels = channels;
  if (batch.empty() && batch.extras.empty() && !batches.empty()) {
    batches.back().channels = channels;
  } else {
    used += queue_cost(batch);
    batches.push_back(std::move(batch));
  }
  changed.notify_all();
}

/// Makes room for `incoming`.
void Queue::State::drop_oldest(Batch& incoming) {
  while (!has_room(queue_cost(incoming))) {
    Batch& oldest = batches.front();
    std::size_t before = queue_cost(oldest);
    std::size_t excess = used + queue_cost(incoming) - capacity;
    drop_front(oldest, count_worth(oldest, excess));
    used -= before - queue_cost(oldest);
    if (oldest.empty()) {
      incoming.extras.insert(incoming.extras.begin(), oldest.extras.begin(), oldest.extras.end());
      batches.pop_front();
    } else {
      compact_if_wasteful(oldest);
    }
  }
}

/// Cuts `incoming` to what there is room for.
void Queue::State::drop_newest(Batch& incoming) {
  std::size_t room = capacity - std::min(used, capacity);
  Batch kept;
  kept.take_front(incoming, count_within(incoming, room));
  drop_front(incoming, incoming.messages().size());
  compact_if_wasteful(kept);
  incoming = std::move(kept);
}

void Queue::State::drop_front(Batch& batch, std::size_t count) {
  for (const Message& message : batch.messages().first(count)) {
    std::uint32_t slot = message.channel->slot;
    if (slot >= dropped.size()) dropped.resize(slot + 1);
    ++dropped[slot];
  }
  Batch gone;
  gone.take_front(batch, count);
  batch.extras = std::move(gone.extras);  // only messages are dropped
}

void Queue::State::end(std::exception_ptr with) {
  if (has_ended) return;
  has_ended = true;
  error = std::move(with);
  changed.notify_all();
}

Queue::Queue(std::size_t capacity_bytes, OnFull on_full, Clock& clock)
    : state_(std::make_unique<State>(capacity_bytes, on_full, clock)) {}

Queue::~Queue() = default;

void Queue::write(Batch&& batch) {
  compact_if_wasteful(batch);
  std::size_t cost = queue_cost(batch);
  std::unique_lock lock(state_->mutex);
  state_->check_writable();
  if (!batch.empty() && !state_->has_room(cost)) {
    switch (state_->on_full) {
      case OnFull::block:
        state_->clock.wait(lock, state_->changed, Wait{},
                           [&] { return state_->has_room(cost) || state_->has_ended; });
        state_->check_writable();
        break;
      case OnFull::drop_oldest:
        state_->drop_oldest(batch);
        break;
      case OnFull::drop_newest:
        state_->drop_newest(batch);
        break;
    }
  }
  state_->push(std::move(batch));
}

void Queue::close() {
  std::lock_guard lock(state_->mutex);
  state_->end(nullptr);
}

void Queue::fail(std::exception_ptr error) {
  std::lock_guard lock(state_->mutex);
  state_->end(std::move(error));
}

ChannelsPtr Queue::channels() const {
  std::lock_guard lock(state_->mutex);
  return state_->channels;
}

bool Queue::read(Batch& batch, const Wait& wait) {
  std::unique_lock lock(state_->mutex);
  auto has_news = [&] { return !state_->batches.empty() || state_->has_ended; };
  state_->clock.wait(lock, state_->changed, wait, has_news);
  if (!state_->batches.empty()) {
    batch = std::move(state_->batches.front());
    state_->batches.pop_front();
    state_->used -= queue_cost(batch);
    state_->changed.notify_all();
    return true;
  }
  if (state_->error) std::rethrow_exception(std::exchange(state_->error, nullptr));
  if (state_->has_ended || wait.stop.stop_requested()) return false;
  batch.channels = state_->channels;
  return true;
}

void Queue::abandon() {
  std::lock_guard lock(state_->mutex);
  state_->is_abandoned = true;
  state_->batches.clear();
  state_->used = 0;
  state_->end(nullptr);
  state_->changed.notify_all();
}

std::vector<std::uint64_t> Queue::dropped() const {
  std::lock_guard lock(state_->mutex);
  auto dropped = state_->dropped;
  dropped.resize(state_->channels->size());
  return dropped;
}

}  // namespace kitbag
