#include <algorithm>
#include <optional>
#include <utility>

#include "kitbag/pipeline.h"
#include "kitbag/play.h"
#include "live/play/played_source.h"

// The player joins what others do: PlayedSource has the messages at their times, the publisher
// sends them, and run() moves them from one to the other. The publisher may offer the player's
// commands to its system; it calls them on threads of its own, so it goes before what they act on.

namespace kitbag {

namespace {

constexpr Duration kTenTimesASecond = std::chrono::milliseconds(100);

/// Which file is played, by the times of messages.
class FileTurns {
 public:
  explicit FileTurns(const std::vector<PlayedFile>& files) : files_(files) {}

  /// A message of that time is played. Absent: the file is the same.
  std::optional<FileChange> pass(Time time) {
    if (files_.empty()) return std::nullopt;
    auto next = std::upper_bound(files_.begin(), files_.end(), time,
                                 [](Time t, const PlayedFile& file) { return t < file.begin; });
    const PlayedFile* file = next == files_.begin() ? &*next : &*std::prev(next);
    const PlayedFile* before = std::exchange(current_, file);
    if (!before || before == file) return std::nullopt;
    return FileChange{before->path, file->path};
  }

 private:
  const std::vector<PlayedFile>& files_;
  const PlayedFile* current_ = nullptr;
};

/// Ends what waits for a source when it goes.
struct SourceFinisher {
  PlayedSource& source;
  ~SourceFinisher() { source.finish(); }
};

/// Passes messages to the publisher, and calls `look` ten times a second.
class Watched final : public Sink {
 public:
  Watched(Publisher& publisher, const PlayOptions& options, const Clock& clock,
          std::function<void()> look)
      : publisher_(publisher),
        by_(options.by),
        files_(options.files),
        look_(std::move(look)),
        next_(clock.steady()) {}

  void write(Batch&& batch) override {
    for (const Message& message : std::as_const(batch).messages()) {
      if (message.flags & kState) continue;
      Time time = by_ == TimeField::publish_time ? message.publish_time : message.log_time;
      if (auto change = files_.pass(time)) publisher_.tell(*change);
    }
    publisher_.write(std::move(batch));
  }
  SteadyTime due() const override { return std::min(next_, publisher_.due()); }
  void tick(SteadyTime now) override {
    if (now >= publisher_.due()) publisher_.tick(now);
    if (now < next_) return;
    next_ = now + kTenTimesASecond;
    look_();
  }
  void flush() override { publisher_.flush(); }
  void close() override { publisher_.close(); }

 private:
  Publisher& publisher_;
  TimeField by_;
  FileTurns files_;
  std::function<void()> look_;
  SteadyTime next_;
};

}  // namespace

struct Player::State {
  State(PlayOptions with, std::unique_ptr<Publisher> to, ClockPtr by)
      : options(std::move(with)),
        publisher(std::move(to)),
        clock(std::move(by)),
        source(options, clock) {}

  void wait_to_begin(const std::stop_token& stop) {
    // Before anything is waited for: subscribers connect to topics that they can see.
    Batch declares;
    declares.channels = source.channels();
    publisher->write(std::move(declares));
    bool awaits = options.awaits_subscribers || publisher->holds_until_received();
    if (awaits) publisher->await_subscribers({stop, kNever});
    if (options.delay <= Duration::zero()) return;
    clock->sleep({stop, clock->steady() + options.delay});
  }

  PlayOptions options;
  std::unique_ptr<Publisher> publisher;
  ClockPtr clock;
  PlayedSource source;
};

Player::Player(PlayOptions options, std::unique_ptr<Publisher> publisher, ClockPtr clock) {
  require_rate(options.rate);
  state_ = std::make_unique<State>(std::move(options), std::move(publisher), std::move(clock));
  state_->publisher->offer(*this);
}

Player::~Player() {
  state_->publisher.reset();  // its threads may be calling
}

PlayStatus Player::run(const std::stop_token& stop,
                       const std::function<void(const PlayStatus&)>& on_status) {
  State& state = *state_;
  const SourceFinisher finisher{state.source};
  // Both the caller's stop and Player::stop() end what waits for either.
  std::stop_callback on_stop(stop, [&state] { state.options.stop.request_stop(); });
  std::stop_token either = state.options.stop.get_token();
  if (!either.stop_requested()) {  // a stop that came first: not even topics are declared
    state.wait_to_begin(either);
    Watched watched(*state.publisher, state.options, *state.clock, [&] {
      if (on_status) on_status(status());
    });
    kitbag::run(state.source, watched, *state.clock, either);
  }
  state.source.finish();
  state.publisher->close();
  return status();
}

void Player::stop() {
  state_->options.stop.request_stop();
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

void Player::play(const PlayedPart& part) {
  state_->source.play(part);
}

void Player::burst(std::uint64_t count) {
  state_->source.burst(count);
}

std::uint64_t Player::burst(std::uint64_t count, const Wait& wait) {
  return state_->source.burst(count, wait);
}

const PlayOptions& Player::options() const {
  return state_->options;
}

PlayStatus Player::status() const {
  return state_->source.status();
}

}  // namespace kitbag
