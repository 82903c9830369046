#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "flow/timeline.h"
#include "kitbag/play.h"
#include "live/play/clock_topic.h"

namespace kitbag {

/// Throws Error (invalid) for what is no rate of a player.
void require_rate(double rate);

/// The messages of the bags at their times: the last source of a player, on which all its commands
/// act.
class PlayedSource final : public Source {
 public:
  /// `options` must outlive it. Throws Error, as Player does.
  PlayedSource(const PlayOptions& options, const ClockPtr& clock);

  ChannelsPtr channels() const override { return clock_topic_.channels(source_->channels()); }
  bool read(Batch& batch, const Wait& wait) override;

  // From any thread:
  void pause();
  void resume();
  void set_rate(double rate);
  void seek(Time to);
  void play(const PlayedPart& part);
  void burst(std::uint64_t count);
  std::uint64_t burst(std::uint64_t count, const Wait& wait);
  /// Nothing is read any more: who waits for that returns.
  void finish();
  PlayStatus status() const;

 private:
  Time position(SteadyTime now) const {
    return is_paused_ || !timeline_.is_anchored() ? paused_at_ : timeline_.position(now);
  }
  Time time_of(const Message& message) const {
    return options_.by == TimeField::publish_time ? message.publish_time : message.log_time;
  }
  const Message& front() const { return std::as_const(held_).messages().front(); }
  bool stops_at(const Message& message) const;
  void open(Time begin);
  bool fetch(const Wait& wait);
  void begin_round();
  void stay_at_end(const Wait& wait);
  void tell_clock(Batch& batch);
  std::size_t count_state() const;
  std::size_t count_stepped();
  std::size_t await_due(std::unique_lock<std::mutex>& lock, const Wait& wait);
  std::size_t count_due(SteadyTime now);
  void note_lateness(const Message& message, SteadyTime now);
  void hold(Time at);
  void go_to(Time to);
  void go_on();
  void require_seekable() const;
  void add_steps(std::uint64_t count);
  void drop_steps();

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
  std::uint64_t steps_ = 0;    ///< messages to send while it is paused
  std::uint64_t stepped_ = 0;  ///< sent so
  std::optional<Time> sought_;
  std::optional<Time> until_;   ///< the end of the part that is played
  bool is_over_ = false;        ///< nothing is read any more
  bool round_is_empty_ = true;  ///< no message but repeated state was sent in it, and no seek came
  PlayStatus status_;
};

}  // namespace kitbag
