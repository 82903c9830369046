#pragma once

#include <optional>

#include "kitbag/time.h"

namespace kitbag::cli {

/// What a signal that asks to stop means, by when it comes. One Ctrl-C may arrive as several
/// signals: timeout(1), for one, signals its child and then the child's group. So only one that
/// comes a second after the first shows that somebody is tired of waiting.
class StopSignals {
 public:
  enum class Meaning {
    stop,      ///< the first: ask to stop
    repeated,  ///< the same request once more
    leave,     ///< end at once
  };
  /// Of a signal that comes at `now`.
  Meaning take(SteadyTime now);

  /// When the work that was asked to stop should have ended; kNever before the first.
  SteadyTime deadline() const { return first_ ? *first_ + kTimeToEnd : kNever; }

  static constexpr Duration kPatience = std::chrono::seconds(1);
  /// People feel that what takes longer has not heard them.
  static constexpr Duration kTimeToEnd = std::chrono::milliseconds(200);

 private:
  std::optional<SteadyTime> first_;
};

}  // namespace kitbag::cli
