#include "live/play/played_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/pipeline.h"

// bag -> stages -> read_ahead() -> PlayedSource -> run() -> the publisher. PlayedSource is the last
// source, so nothing slow comes after it; all commands act on it.
//
// Messages on the way, and the thread that has them:
//
//   bag -> stages -> queue of read_ahead() | held_ -> Watched -> publisher
//          thread that reads ahead         | thread of Player::run()
//
// Only read() touches source_ and held_, so no lock is held while the disk is read or a message is
// sent. What commands from other threads change is behind mutex_: the timeline, the pause, the
// place to go to. seek() only leaves a wish; the playing thread opens the bag again at its next
// read(). A command wakes it through changed_, so it takes effect in the middle of a long gap
// between messages.
//
// A message is due at a time that follows from the anchor of the timeline, not from the message
// before, so delays do not add up. The anchor is set by the first message, and again by a seek, a
// resume and a skipped gap. Messages of the state before the start (kState) have no due time: they
// are sent at once.

namespace kitbag {

namespace {

constexpr Duration kLate = std::chrono::milliseconds(1);

}  // namespace

void require_rate(double rate) {
  if (rate >= Player::kLeastRate && rate <= Player::kMostRate) return;
  throw Error(ErrorCode::invalid, fmt::format("invalid playback rate: {}", rate));
}

PlayedSource::PlayedSource(const PlayOptions& options, const ClockPtr& clock)
    : options_(options),
      clock_(clock),
      clock_topic_(options.clock, clock->steady()),
      timeline_(options.rate),
      is_paused_(options.starts_paused),
      paused_at_(options.begin) {
  status_.rounds = 1;
  status_.position = options.begin;
  open(options.begin);
}

bool PlayedSource::stops_at(const Message& message) const {
  const auto& topics = options_.until_topics;
  return std::find(topics.begin(), topics.end(), message.channel->topic) != topics.end();
}

void PlayedSource::open(Time begin) {
  source_ = read_ahead(options_.open(begin), options_.read_ahead_bytes, clock_);
  held_.clear();
  is_at_end_ = false;
}

/// False: the end. True: something is held, or `wait` was stopped. Without messages there is
/// nothing to be on time for, so no deadline ends it.
bool PlayedSource::fetch(const Wait& wait) {
  std::optional<Time> to;
  {
    std::lock_guard lock(mutex_);
    to = std::exchange(sought_, std::nullopt);
  }
  // Without the lock: this waits for the thread that reads ahead, and status() must not wait for
  // it.
  if (to) {
    open(*to);
    std::lock_guard lock(mutex_);
    round_is_empty_ = false;  // there may be messages before that place
  }
  while (held_.empty()) {
    Batch next;
    if (!is_at_end_ && source_->read(next, {wait.stop, kNever})) {
      held_ = std::move(next);
      return true;
    }
    is_at_end_ = true;
    if (!options_.loops && options_.stays_at_end) {
      stay_at_end(wait);
      return true;
    }
    if (!options_.loops) return false;
    if (wait.stop.stop_requested()) return true;
    open(options_.begin);
    std::lock_guard lock(mutex_);
    if (std::exchange(round_is_empty_, true)) return false;
    ++status_.rounds;
    if (!sought_) begin_round();
  }
  return true;
}

/// With the lock held. The round begins at the first message again, so it gets an anchor of its
/// own. A part that reaches beyond the end goes on in it.
void PlayedSource::begin_round() {
  timeline_.release();
  paused_at_ = options_.begin;
  if (!until_) return;
  if (*until_ <= options_.end) return hold(options_.begin);
  until_ = saturating_add(options_.begin, saturating_difference(options_.end, *until_));
}

/// Until a seek, a resume, `wait`, or the next message of the clock topic.
void PlayedSource::stay_at_end(const Wait& wait) {
  std::unique_lock lock(mutex_);
  if (!is_paused_) hold(options_.end);
  drop_steps();
  clock_->wait(lock, changed_, {wait.stop, std::min(wait.until, clock_topic_.due())},
               [this] { return sought_ || !is_paused_ || steps_ > 0; });
}

std::size_t PlayedSource::count_state() const {
  auto messages = held_.messages();
  auto first = std::find_if(messages.begin(), messages.end(),
                            [](const Message& m) { return (m.flags & kState) == 0; });
  return static_cast<std::size_t>(first - messages.begin());
}

/// Messages that a step sends now.
std::size_t PlayedSource::count_stepped() {
  std::size_t count = std::min<std::uint64_t>(steps_, held_.messages().size());
  steps_ -= count;
  stepped_ += count;
  if (count > 0) paused_at_ = time_of(held_.messages()[count - 1]);
  if (steps_ == 0) changed_.notify_all();
  return count;
}

std::size_t PlayedSource::await_due(std::unique_lock<std::mutex>& lock, const Wait& wait) {
  SteadyTime now = clock_->steady();
  Time next = time_of(front());
  if (!timeline_.is_anchored()) timeline_.anchor(next, now);
  const bool is_behind_part = until_ && next > *until_;
  if (is_behind_part) next = *until_;
  SteadyTime due = timeline_.due(next);
  if (options_.skip_empty && due > now &&
      saturating_difference(timeline_.position(now), next) > *options_.skip_empty) {
    timeline_.anchor(next, now);
    due = now;
  }
  has_changed_ = false;
  clock_->wait(lock, changed_, {wait.stop, std::min(due, wait.until)},
               [this] { return has_changed_; });
  now = clock_->steady();
  bool is_for_others = is_paused_ || sought_ || now >= clock_topic_.due();
  if (is_for_others) return 0;
  if (is_behind_part && until_ && now >= due) hold(*until_);
  return is_behind_part ? 0 : count_due(now);
}

/// The messages that are due, up to one after which playback pauses.
std::size_t PlayedSource::count_due(SteadyTime now) {
  std::size_t count = 0;
  for (const Message& message : std::as_const(held_).messages()) {
    if (timeline_.due(time_of(message)) > now || (until_ && time_of(message) > *until_)) break;
    note_lateness(message, now);
    ++count;
    if (!stops_at(message)) continue;
    hold(time_of(message));
    break;
  }
  return count;
}

/// Without a pace nothing is late.
void PlayedSource::note_lateness(const Message& message, SteadyTime now) {
  if (timeline_.rate() >= Player::kMostRate) return;
  Duration lateness = now - timeline_.due(time_of(message));
  if (lateness > kLate) ++status_.late_messages;
  status_.worst_lateness = std::max(status_.worst_lateness, lateness);
}

/// With the lock held.
void PlayedSource::hold(Time at) {
  is_paused_ = true;
  paused_at_ = at;
  until_ = std::nullopt;
  has_changed_ = true;
  changed_.notify_all();
}

/// At the end, if it is due.
void PlayedSource::tell_clock(Batch& batch) {
  batch.channels = channels();
  std::lock_guard lock(mutex_);
  SteadyTime now = clock_->steady();
  if (now >= clock_topic_.due()) clock_topic_.tell(position(now), now, batch);
}

bool PlayedSource::read(Batch& batch, const Wait& wait) {
  if (!fetch(wait)) return false;
  batch.channels = held_.channels;
  if (held_.empty()) {
    batch.extras = std::exchange(held_.extras, {});
    if (is_at_end_) tell_clock(batch);
    return true;
  }
  std::unique_lock lock(mutex_);
  Wait until{wait.stop, std::min(wait.until, clock_topic_.due())};
  std::size_t count = count_state();
  SteadyTime now = clock_->steady();
  if (count == 0 && now >= clock_topic_.due()) {  // before the messages of that time
    batch.channels = clock_topic_.channels(held_.channels);
    clock_topic_.tell(position(now), now, batch);
    return true;
  }
  if (count == 0 && is_paused_) {
    clock_->wait(lock, changed_, until, [this] { return !is_paused_ || steps_ > 0 || sought_; });
    if (!sought_) count = count_stepped();
  } else if (count == 0) {
    count = await_due(lock, until);
  }
  if (count == 0) {
    batch.channels = clock_topic_.channels(held_.channels);
    return true;
  }
  if (count > count_state()) round_is_empty_ = false;
  status_.messages += count;
  std::size_t before = held_.payload();
  batch.take_front(held_, count);
  status_.bytes += before - held_.payload();
  clock_topic_.make_room(batch);
  return true;
}

void PlayedSource::pause() {
  std::lock_guard lock(mutex_);
  if (is_paused_) return;
  // A part that is being played ends where it ended before.
  std::optional<Time> until = until_;
  hold(timeline_.is_anchored() ? timeline_.position(clock_->steady()) : paused_at_);
  until_ = until;
}

void PlayedSource::resume() {
  std::lock_guard lock(mutex_);
  go_on();
}

/// With the lock held.
void PlayedSource::go_on() {
  if (!is_paused_) return;
  is_paused_ = false;
  steps_ = 0;
  // Before the first message of a round there is nothing to go on from.
  if (!round_is_empty_ || timeline_.is_anchored()) {
    timeline_.anchor(paused_at_, clock_->steady());
  }
  has_changed_ = true;
  changed_.notify_all();
}

void PlayedSource::set_rate(double rate) {
  require_rate(rate);
  std::lock_guard lock(mutex_);
  timeline_.set_rate(rate, clock_->steady());
  has_changed_ = true;
  changed_.notify_all();
}

void PlayedSource::require_seekable() const {
  if (options_.is_seekable) return;
  throw Error(ErrorCode::unsupported,
              "what comes through a pipe can be played only once, forward; save it to a file first",
              "-");
}

void PlayedSource::seek(Time to) {
  require_seekable();
  std::lock_guard lock(mutex_);
  until_ = std::nullopt;
  go_to(to);
}

/// With the lock held.
void PlayedSource::go_to(Time to) {
  to = std::clamp(to, options_.begin, std::max(options_.begin, options_.end));
  sought_ = to;
  paused_at_ = to;
  timeline_.anchor(to, clock_->steady());
  has_changed_ = true;
  changed_.notify_all();
}

void PlayedSource::play(const PlayedPart& part) {
  if (part.begin) require_seekable();
  std::lock_guard lock(mutex_);
  if (part.begin) go_to(*part.begin);
  until_ = part.end;
  go_on();
  has_changed_ = true;
  changed_.notify_all();
}

/// With the lock held.
void PlayedSource::add_steps(std::uint64_t count) {
  if (!is_paused_) {
    throw Error(ErrorCode::invalid, "single messages can be sent only while paused; pause first");
  }
  steps_ += std::min(count, UINT64_MAX - steps_);
  changed_.notify_all();
}

/// With the lock held: there is nothing that they could send.
void PlayedSource::drop_steps() {
  if (std::exchange(steps_, 0) > 0) changed_.notify_all();
}

void PlayedSource::burst(std::uint64_t count) {
  std::lock_guard lock(mutex_);
  add_steps(count);
}

std::uint64_t PlayedSource::burst(std::uint64_t count, const Wait& wait) {
  std::unique_lock lock(mutex_);
  add_steps(count);
  std::uint64_t before = stepped_;
  clock_->wait(lock, changed_, wait, [this] { return steps_ == 0 || is_over_; });
  return std::min(count, stepped_ - before);
}

void PlayedSource::finish() {
  std::lock_guard lock(mutex_);
  is_over_ = true;
  changed_.notify_all();
}

PlayStatus PlayedSource::status() const {
  std::lock_guard lock(mutex_);
  PlayStatus status = status_;
  status.rate = timeline_.rate();
  status.is_paused = is_paused_;
  status.position = std::clamp(position(clock_->steady()), options_.begin,
                               std::max(options_.begin, options_.end));
  return status;
}

}  // namespace kitbag
