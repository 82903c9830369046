#pragma once

#include "kitbag/message.h"
#include "kitbag/play.h"

namespace kitbag {

/// The channel /clock in front of those that are played, which get the slots behind it; where no
/// clock is wanted, all stay as they are.
class ClockTopic {
 public:
  /// Throws Error (invalid) for a rate or encoding that is none.
  ClockTopic(const PlayedClock& options, SteadyTime now);

  /// When tell() should be called next.
  SteadyTime due() const { return due_; }
  /// Adds the message that it is `position`.
  void tell(Time position, SteadyTime now, Batch& batch);
  /// The table of what is sent, of the table of what is played.
  ChannelsPtr channels(const ChannelsPtr& played) const;
  /// Moves what is played to the channels of that table.
  void make_room(Batch& batch) const;

 private:
  Duration period_{};  ///< zero: no clock
  SteadyTime due_ = kNever;
  ChannelPtr channel_;
  bool is_cdr_ = false;
  std::uint32_t sequence_ = 0;
  mutable ChannelsPtr played_;  ///< the table that table_ was made of
  mutable ChannelsPtr table_;
};

}  // namespace kitbag
