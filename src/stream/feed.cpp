#include "kitbag/feed.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/buffer.h"
#include "kitbag/error.h"
#include "stream/backlog.h"

// A message is pushed in three steps: a place in the current block is taken under the lock, the
// data is copied without it, and the message is added to the last batch under the lock again.
// Producers therefore hold each other up for some instructions only. Blocks come from a pool whose
// memory was touched when the feed was made: on virtual machines the first touch of a page costs
// more than a copy into it, and the time when much memory is needed is when the disk has stopped.
// They are cut from huge pages, of which there are few to touch.
//
// Waking a thread costs more than a message. So a reader that comes back sooner than kGather sleeps
// until then, and nobody wakes it; only one that found nothing by then is woken by the next
// message.

namespace kitbag {
namespace {

constexpr std::size_t kFeedBlockBytes = 1 << 20;

}  // namespace

struct Feed::State {
  State(std::size_t capacity_bytes, OnFull when_full, ClockPtr with_clock)
      : backlog(capacity_bytes),
        on_full(when_full),
        clock(std::move(with_clock)),
        blocks(capacity_bytes + 2 * kFeedBlockBytes) {
    touch(capacity_bytes);
  }

  /// Memory of a message that is being pushed.
  struct Room {
    std::shared_ptr<Buffer> block;
    std::byte* place = nullptr;
  };

  void touch(std::size_t bytes);

  // Each of these is called with `mutex` held.
  void check_writable() const;
  bool make_room(std::unique_lock<std::mutex>& lock, const Message& message);
  Room take_place(std::size_t bytes);
  void publish(const Message& message, const Owner& owner, std::size_t bytes_pinned);
  bool is_worth_reading() const;
  void end(std::exception_ptr with);
  const ChannelsPtr& shared_channels();

  Backlog backlog;
  const OnFull on_full;
  ClockPtr clock;
  BufferPool blocks;

  mutable std::mutex mutex;
  std::condition_variable_any changed;
  Channels channels;
  ChannelsPtr shared;  ///< `channels` as it was handed out last; null: never
  bool has_new_channels = false;
  std::shared_ptr<Buffer> block;    ///< the current one
  const void* last_kept = nullptr;  ///< of the last batch, its last owner
  SteadyTime next_read;             ///< sooner only for much
  bool reader_sleeps = false;       ///< until it is woken
  int waiting = 0;                  ///< producers, for room
  std::vector<std::uint64_t> lost;  ///< by slot; as long as there are slots with any
  std::exception_ptr error;
  bool has_ended = false;
  bool is_abandoned = false;
};

void Feed::State::touch(std::size_t bytes) {
  std::vector<std::shared_ptr<Buffer>> taken;
  for (std::size_t done = 0; done < bytes; done += kFeedBlockBytes) {
    taken.push_back(blocks.take(kFeedBlockBytes));
    std::size_t count = std::min(kFeedBlockBytes, bytes - done);
    std::memset(taken.back()->extend(count), 0, count);
  }
}

void Feed::State::check_writable() const {
  if (is_abandoned) throw Error(ErrorCode::cancelled, "the reader of the feed no longer exists");
  if (has_ended) throw Error(ErrorCode::invalid, "cannot push to a closed feed");
}

/// False: the message is dropped.
bool Feed::State::make_room(std::unique_lock<std::mutex>& lock, const Message& message) {
  std::size_t cost = Backlog::cost(message);
  if (backlog.has_room(cost)) return true;
  std::vector<Extra> none;
  switch (on_full) {
    case OnFull::block:
      ++waiting;
      changed.notify_all();
      clock->wait(lock, changed, Wait{}, [&] { return backlog.has_room(cost) || has_ended; });
      --waiting;
      check_writable();
      return true;
    case OnFull::drop_oldest:
      backlog.make_room(cost, none);
      last_kept = nullptr;  // what is left may have been copied together
      return true;
    case OnFull::drop_newest:
      backlog.count_dropped(*message.channel);
      return false;
  }
  return false;
}

Feed::State::Room Feed::State::take_place(std::size_t bytes) {
  if (!block || bytes > block->capacity() - block->size()) {
    std::size_t size = std::max(bytes, kFeedBlockBytes);
    auto next = blocks.take(size);
    next->reserve(size);  // one that came back may be smaller
    // It has the block to itself, and the current one goes on.
    if (bytes > kFeedBlockBytes) return {next, next->extend(bytes)};
    block = std::move(next);
  }
  return {block, block->extend(bytes)};
}

void Feed::State::publish(const Message& message, const Owner& owner, std::size_t bytes_pinned) {
  if (backlog.empty() || backlog.back().full()) {
    backlog.push(Batch());
    last_kept = nullptr;
  }
  Batch& batch = backlog.back();
  if (owner && owner.get() != last_kept) {
    batch.keep(owner, bytes_pinned);
    last_kept = owner.get();
  }
  backlog.add(message);
  if (std::exchange(reader_sleeps, false)) changed.notify_all();
}

/// Before its time has come.
bool Feed::State::is_worth_reading() const {
  bool is_much = backlog.batches() > 1 || (!backlog.empty() && backlog.front().full());
  return is_much || has_ended || waiting > 0;
}

/// A copy is made where one is asked for, not with each channel: there may be many.
const ChannelsPtr& Feed::State::shared_channels() {
  if (!shared || shared->size() != channels.size()) {
    shared = std::make_shared<const Channels>(channels);
  }
  return shared;
}

void Feed::State::end(std::exception_ptr with) {
  if (has_ended) return;
  has_ended = true;
  error = std::move(with);
  changed.notify_all();
}

Feed::Feed(std::size_t capacity_bytes, OnFull on_full, ClockPtr clock)
    : state_(std::make_unique<State>(capacity_bytes, on_full, std::move(clock))) {}

Feed::~Feed() = default;

ChannelPtr Feed::add(Channel channel) {
  std::lock_guard lock(state_->mutex);
  channel.slot = static_cast<std::uint32_t>(state_->channels.size());
  state_->channels.push_back(std::make_shared<const Channel>(std::move(channel)));
  state_->has_new_channels = true;
  state_->changed.notify_all();
  return state_->channels.back();
}

bool Feed::push(const Message& message, const Owner& owner) {
  Message pushed = message;
  std::unique_lock lock(state_->mutex);
  state_->check_writable();
  if (!state_->make_room(lock, message)) return false;
  std::size_t size = message.data.size();
  if (owner && size >= kLendBytes) {
    state_->publish(message, owner, size);
    return true;
  }
  if (size == 0) {
    state_->publish(message, {}, 0);
    return true;
  }
  State::Room room = state_->take_place(size);
  // Others may push meanwhile. Their messages may come in front of this one, and as its cost is
  // counted in publish(), each producer may exceed the capacity by one message.
  lock.unlock();
  std::memcpy(room.place, message.data.data(), size);
  pushed.data = {room.place, size};
  lock.lock();
  if (state_->has_ended) return false;
  state_->publish(pushed, room.block, room.block->capacity());
  return true;
}

void Feed::count_lost(const Channel& channel, std::uint64_t messages) {
  std::lock_guard lock(state_->mutex);
  if (channel.slot >= state_->lost.size()) state_->lost.resize(channel.slot + 1);
  state_->lost[channel.slot] += messages;
}

void Feed::close() {
  std::lock_guard lock(state_->mutex);
  state_->end(nullptr);
}

void Feed::fail(std::exception_ptr error) {
  std::lock_guard lock(state_->mutex);
  state_->end(std::move(error));
}

std::size_t Feed::held_bytes() const {
  std::lock_guard lock(state_->mutex);
  return state_->backlog.used();
}

std::vector<std::uint64_t> Feed::dropped() const {
  std::lock_guard lock(state_->mutex);
  auto dropped = state_->backlog.dropped();
  dropped.resize(state_->channels.size());
  return dropped;
}

std::vector<std::uint64_t> Feed::lost() const {
  std::lock_guard lock(state_->mutex);
  auto lost = state_->lost;
  lost.resize(state_->channels.size());
  return lost;
}

ChannelsPtr Feed::channels() const {
  std::lock_guard lock(state_->mutex);
  return state_->shared_channels();
}

bool Feed::read(Batch& batch, const Wait& wait) {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  Wait pause{wait.stop, std::min(wait.until, state.next_read)};
  state.clock->wait(lock, state.changed, pause, [&] { return state.is_worth_reading(); });
  auto has_news = [&] {
    return !state.backlog.empty() || state.has_new_channels || state.is_worth_reading();
  };
  state.reader_sleeps = !has_news();
  if (state.reader_sleeps) state.clock->wait(lock, state.changed, wait, has_news);
  state.reader_sleeps = false;
  state.next_read = state.clock->steady() + kGather;
  state.has_new_channels = false;
  if (!state.backlog.empty()) {
    batch = state.backlog.take();
    batch.channels = state.shared_channels();
    state.changed.notify_all();
    return true;
  }
  if (state.error) std::rethrow_exception(std::exchange(state.error, nullptr));
  if (state.has_ended) return false;
  batch.channels = state.shared_channels();
  return true;
}

void Feed::abandon() {
  std::lock_guard lock(state_->mutex);
  state_->is_abandoned = true;
  state_->backlog.drop_all();
  state_->end(nullptr);
  state_->changed.notify_all();
}

}  // namespace kitbag
