#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <optional>
#include <span>

#include "kitbag/message.h"
#include "kitbag/record.h"

namespace kitbag {

/// Whether a recording is paused, and what is to happen at moments that are still to come: the end
/// of the pause, a split. Messages decide when a moment comes, so that nothing depends on when they
/// are written; the clock decides only where no message waits. Any thread.
class RecordingMoments {
 public:
  bool is_paused() const { return is_paused_; }
  void pause();
  void resume();
  void resume_at(const RecordMoment& moment);
  void split_at(const RecordMoment& moment);

  /// Whether one is still to come.
  bool are_set() const { return are_set_; }
  /// The index of the first message with which a moment comes; their number: there is none.
  std::size_t find(std::span<const Message> messages) const;
  /// The moments that come with the message, or at a time of the clock, have come: a pause may have
  /// ended. Returns whether to split.
  bool reach(const Message& message);
  bool reach(Time wall);

 private:
  template <class HasCome>
  bool reach_if(HasCome has_come);

  std::atomic<bool> is_paused_ = false;
  std::atomic<bool> are_set_ = false;
  mutable std::mutex mutex_;
  std::optional<RecordMoment> resume_;
  std::optional<RecordMoment> split_;
};

}  // namespace kitbag
