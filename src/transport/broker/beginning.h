#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>

#include "kitbag/feed.h"
#include "kitbag/time.h"

namespace kitbag::broker {

/// Lets the constructor of a subscriber wait until the subscriber listens, so that it throws what
/// is wrong with a location. What fails later goes to the feed.
class Beginning {
 public:
  /// `clock` and `feed` outlive it.
  Beginning(Clock& clock, Feed& feed) : clock_(clock), feed_(feed) {}

  /// Waits until the subscriber listens or has failed, but not for long: a broker may come later.
  /// Throws why it has failed.
  void await();
  /// The subscriber listens. From any thread.
  void set_ready();
  /// The subscriber has ended, by `failure` unless that is null. await() throws it if it is still
  /// waiting; otherwise the feed fails, or is closed. From any thread, once.
  void end(const std::exception_ptr& failure);

 private:
  Clock& clock_;
  Feed& feed_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool is_ready_ = false;       ///< with the lock
  bool is_waited_for_ = true;   ///< with the lock
  std::exception_ptr failure_;  ///< with the lock
};

}  // namespace kitbag::broker
