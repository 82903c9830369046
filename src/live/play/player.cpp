#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "flow/timeline.h"
#include "kitbag/error.h"
#include "kitbag/pipeline.h"
#include "kitbag/play.h"
#include "live/play/clock_topic.h"

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

namespace playing {

constexpr Duration kLate = std::chrono::milliseconds(1);
constexpr Duration kLook = std::chrono::milliseconds(100);

void require_rate(double rate) {
  if (rate >= Player::kLeastRate && rate <= Player::kMostRate) return;
  throw Error(ErrorCode::invalid, fmt::format("invalid playback rate: {}", rate));
}

class PlayedSource final : public Source {
 public:
  PlayedSource(const PlayOptions& options, const ClockPtr& clock)
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

  ChannelsPtr channels() const override { return clock_topic_.channels(source_->channels()); }
  bool read(Batch& batch, const Wait& wait) override;

  // From any thread:
  void pause();
  void resume();
  void set_rate(double rate);
  void seek(Time to);
  void burst(std::uint64_t count);
  PlayStatus status() const;

 private:
  Time position(SteadyTime now) const {
    return is_paused_ || !timeline_.is_anchored() ? paused_at_ : timeline_.position(now);
  }
  Time time_of(const Message& message) const {
    return options_.by == TimeField::publish_time ? message.publish_time : message.log_time;
  }
  const Message& front() const { return std::as_const(held_).messages().front(); }
  bool stops_at(const Message& message) const {
    const auto& topics = options_.until_topics;
    return std::find(topics.begin(), topics.end(), message.channel->topic) != topics.end();
  }
  void open(Time begin) {
    source_ = read_ahead(options_.open(begin), options_.read_ahead_bytes, clock_);
    held_.clear();
    is_at_end_ = false;
  }
  bool fetch(const Wait& wait);
  void stay_at_end(const Wait& wait);
  void tell_clock(Batch& batch);
  std::size_t count_state() const;
  std::size_t count_stepped();
  std::size_t await_due(std::unique_lock<std::mutex>& lock, const Wait& wait);
  std::size_t count_due(SteadyTime now);
  void note_lateness(const Message& message, SteadyTime now);
  void hold(Time at);

  const PlayOptions& options_;
  ClockPtr clock_;
  ClockTopic clock_topic_;
  std::unique_ptr<Source> source_;
  Batch held_;  ///< the messages that come next
  bool is_at_end_ = false;

  mutable std::mutex mutex_;  ///< for all below
  std::condition_variable_any changed_;
  bool has_changed_ = false;
  Timeline timeline_;
  bool is_paused_;
  Time paused_at_;
  std::uint64_t steps_ = 0;  ///< messages to send while it is paused
  std::optional<Time> sought_;
  bool round_is_empty_ = true;  ///< so far: a bag without messages is not played for ever
  PlayStatus status_;
};

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
  if (to) open(*to);
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
    // The next round begins at the first message again, so it gets an anchor of its own.
    timeline_.release();
    ++status_.rounds;
  }
  return true;
}

/// Until a seek, a resume, `wait`, or the next message of the clock topic.
void PlayedSource::stay_at_end(const Wait& wait) {
  std::unique_lock lock(mutex_);
  if (!is_paused_) hold(options_.end);
  clock_->wait(lock, changed_, {wait.stop, std::min(wait.until, clock_topic_.due())},
               [this] { return sought_ || !is_paused_; });
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
  if (count > 0) paused_at_ = time_of(held_.messages()[count - 1]);
  return count;
}

std::size_t PlayedSource::await_due(std::unique_lock<std::mutex>& lock, const Wait& wait) {
  SteadyTime now = clock_->steady();
  Time next = time_of(front());
  if (!timeline_.is_anchored()) timeline_.anchor(next, now);
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
  return is_for_others ? 0 : count_due(now);
}

/// The messages that are due, up to one after which playback pauses.
std::size_t PlayedSource::count_due(SteadyTime now) {
  std::size_t count = 0;
  for (const Message& message : std::as_const(held_).messages()) {
    if (timeline_.due(time_of(message)) > now) break;
    note_lateness(message, now);
    ++count;
    if (!stops_at(message)) continue;
    hold(time_of(message));
    break;
  }
  return count;
}

void PlayedSource::note_lateness(const Message& message, SteadyTime now) {
  Duration lateness = now - timeline_.due(time_of(message));
  if (lateness > kLate) ++status_.late_messages;
  status_.worst_lateness = std::max(status_.worst_lateness, lateness);
}

/// With the lock held.
void PlayedSource::hold(Time at) {
  is_paused_ = true;
  paused_at_ = at;
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
  round_is_empty_ = false;
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
  hold(timeline_.is_anchored() ? timeline_.position(clock_->steady()) : paused_at_);
}

void PlayedSource::resume() {
  std::lock_guard lock(mutex_);
  if (!is_paused_) return;
  is_paused_ = false;
  steps_ = 0;
  if (status_.messages > 0 || timeline_.is_anchored()) {
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

void PlayedSource::seek(Time to) {
  std::lock_guard lock(mutex_);
  to = std::clamp(to, options_.begin, std::max(options_.begin, options_.end));
  sought_ = to;
  paused_at_ = to;
  timeline_.anchor(to, clock_->steady());
  has_changed_ = true;
  changed_.notify_all();
}

void PlayedSource::burst(std::uint64_t count) {
  std::lock_guard lock(mutex_);
  if (!is_paused_) {
    throw Error(ErrorCode::invalid, "single messages can be sent only while paused; pause first");
  }
  steps_ += count;
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

/// Passes messages to the publisher, and calls `look` ten times a second.
class Watched final : public Sink {
 public:
  Watched(Publisher& publisher, const Clock& clock, std::function<void()> look)
      : publisher_(publisher), look_(std::move(look)), next_(clock.steady()) {}

  void write(Batch&& batch) override { publisher_.write(std::move(batch)); }
  SteadyTime due() const override { return std::min(next_, publisher_.due()); }
  void tick(SteadyTime now) override {
    if (now >= publisher_.due()) publisher_.tick(now);
    if (now < next_) return;
    next_ = now + kLook;
    look_();
  }
  void flush() override { publisher_.flush(); }
  void close() override { publisher_.close(); }

 private:
  Publisher& publisher_;
  std::function<void()> look_;
  SteadyTime next_;
};

}  // namespace playing

struct Player::State {
  State(PlayOptions with, std::unique_ptr<Publisher> to, ClockPtr by)
      : options(std::move(with)),
        publisher(std::move(to)),
        clock(std::move(by)),
        source(options, clock) {}

  void wait_to_begin(const std::stop_token& stop) {
    Batch declares;
    declares.channels = source.channels();
    publisher->write(std::move(declares));
    if (options.awaits_subscribers) publisher->await_subscribers({stop, kNever});
    if (options.delay <= Duration::zero()) return;
    clock->sleep({stop, clock->steady() + options.delay});
  }

  PlayOptions options;
  std::unique_ptr<Publisher> publisher;
  ClockPtr clock;
  playing::PlayedSource source;
};

Player::Player(PlayOptions options, std::unique_ptr<Publisher> publisher, ClockPtr clock) {
  playing::require_rate(options.rate);
  state_ = std::make_unique<State>(std::move(options), std::move(publisher), std::move(clock));
}

Player::~Player() = default;

PlayStatus Player::run(const std::stop_token& stop,
                       const std::function<void(const PlayStatus&)>& on_status) {
  State& state = *state_;
  state.wait_to_begin(stop);
  playing::Watched watched(*state.publisher, *state.clock, [&] {
    if (on_status) on_status(status());
  });
  kitbag::run(state.source, watched, *state.clock, stop);
  state.publisher->close();
  return status();
}

void Player::pause() {
  state_->source.pause();
}

void Player::resume() {
  state_->source.resume();
}

void Player::set_rate(double rate) {
  state_->source.set_rate(rate);
}

void Player::seek(Time to) {
  state_->source.seek(to);
}

void Player::burst(std::uint64_t count) {
  state_->source.burst(count);
}

PlayStatus Player::status() const {
  return state_->source.status();
}

}  // namespace kitbag
