#include <algorithm>
#include <utility>

#include "kitbag/pipeline.h"
#include "stream/backlog.h"

// One mutex and one condition variable for both sides: a batch is large, so the lock is rarely
// contested. Feed, which takes single messages, has rules of its own (decision 009).
//
// What costs time happens outside the lock: a batch that would pin much more than its payload is
// compacted before. With drop_oldest, the extras of dropped batches (metadata, attachments) move to
// the incoming one, since only messages may be dropped. A batch that is larger than the capacity
// fits into an empty queue; otherwise it would wait for ever.
//
// channels() is the table that the writer has declared last, while batches with older tables may
// still wait. Tables only grow, so the newest one serves for all of them.
//
// An error of the writer is thrown by read() once, behind the batches that came before it.

namespace kitbag {

struct Queue::State {
  State(std::size_t capacity_bytes, OnFull when_full, ClockPtr with_clock)
      : backlog(capacity_bytes), on_full(when_full), clock(std::move(with_clock)) {}

  // Each of these is called with `mutex` held.
  void check_writable() const;
  void push(Batch&& batch);
  void end(std::exception_ptr with);

  Backlog backlog;
  const OnFull on_full;
  ClockPtr clock;

  mutable std::mutex mutex;
  std::condition_variable_any changed;
  ChannelsPtr channels = std::make_shared<const Channels>();
  std::exception_ptr error;
  bool has_ended = false;
  bool is_abandoned = false;
};

void Queue::State::check_writable() const {
  if (is_abandoned) throw Error(ErrorCode::cancelled, "the reader of the queue no longer exists");
  if (has_ended) throw Error(ErrorCode::invalid, "cannot write to a closed queue");
}

void Queue::State::push(Batch&& batch) {
  bool declares = batch.channels && batch.channels != channels;
  if (batch.empty() && batch.extras.empty() && !declares) return;
  if (declares) channels = batch.channels;
  batch.channels = channels;
  if (batch.empty() && batch.extras.empty() && !backlog.empty()) {
    // A declaration alone takes no place: it rides on the last batch that waits.
    backlog.back().channels = channels;
  } else {
    backlog.push(std::move(batch));
  }
  changed.notify_all();
}

void Queue::State::end(std::exception_ptr with) {
  if (has_ended) return;
  has_ended = true;
  error = std::move(with);
  changed.notify_all();
}

Queue::Queue(std::size_t capacity_bytes, OnFull on_full, ClockPtr clock)
    : state_(std::make_unique<State>(capacity_bytes, on_full, std::move(clock))) {}

Queue::~Queue() = default;

void Queue::write(Batch&& batch) {
  compact_if_wasteful(batch);
  std::size_t cost = Backlog::cost(batch);
  std::unique_lock lock(state_->mutex);
  state_->check_writable();
  if (!batch.empty() && !state_->backlog.has_room(cost)) {
    switch (state_->on_full) {
      case OnFull::block:
        state_->clock->wait(lock, state_->changed, Wait{},
                            [&] { return state_->backlog.has_room(cost) || state_->has_ended; });
        state_->check_writable();
        break;
      case OnFull::drop_oldest:
        state_->backlog.make_room(cost, batch.extras);
        break;
      case OnFull::drop_newest:
        state_->backlog.cut(batch);
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
  auto has_news = [&] { return !state_->backlog.empty() || state_->has_ended; };
  state_->clock->wait(lock, state_->changed, wait, has_news);
  if (!state_->backlog.empty()) {
    batch = state_->backlog.take();
    state_->changed.notify_all();
    return true;
  }
  if (state_->error) std::rethrow_exception(std::exchange(state_->error, nullptr));
  if (state_->has_ended) return false;
  batch.channels = state_->channels;
  return true;
}

void Queue::abandon() {
  std::lock_guard lock(state_->mutex);
  state_->is_abandoned = true;
  state_->backlog.clear();
  state_->end(nullptr);
  state_->changed.notify_all();
}

std::vector<std::uint64_t> Queue::dropped() const {
  std::lock_guard lock(state_->mutex);
  auto dropped = state_->backlog.dropped();
  dropped.resize(state_->channels->size());
  return dropped;
}

}  // namespace kitbag
