#pragma once

#include <cstdint>

#include "kitbag/message.h"

namespace kitbag {

/// Counts what a query's `nth` and `count` mean: of the messages that come, the first `nth` are
/// skipped and the next `count` are given. State (kState) is given too, and not counted.
class SliceCount {
 public:
  /// `count` UINT64_MAX: all that follow.
  SliceCount(std::uint64_t nth, std::uint64_t count) : to_skip_(nth), to_give_(count) {}

  /// Nothing more is to be given.
  bool is_complete() const { return to_give_ == 0; }
  /// How many messages are still to be skipped.
  std::uint64_t to_skip() const { return to_skip_; }

  /// Counts `messages` that somebody else skips.
  void skip(std::uint64_t messages) { to_skip_ -= messages; }
  /// Counts a message that comes. True: it is to be skipped.
  bool skip_next() { return to_skip_ > 0 && to_skip_-- > 0; }
  /// Counts a message that is given.
  void give() {
    if (to_give_ != UINT64_MAX) --to_give_;
  }

  /// Counts the messages of `batch`, and leaves in it those that are given.
  void apply(Batch& batch) {
    if (to_skip_ == 0 && to_give_ == UINT64_MAX) return;
    batch.drop_if([this](const Message& message) {
      bool is_state = (message.flags & kState) != 0;
      return !is_state && !is_given();
    });
  }

 private:
  bool is_given() {
    if (skip_next() || is_complete()) return false;
    give();
    return true;
  }

  std::uint64_t to_skip_;
  std::uint64_t to_give_;
};

}  // namespace kitbag
