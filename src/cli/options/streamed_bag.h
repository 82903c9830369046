#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "kitbag/bag.h"

namespace kitbag::cli {

/// A bag that comes through a pipe (Summary::is_stream), as a verb reads it: once, from its
/// beginning to its end. Nothing is known of it before, so relative times count from its first
/// message, and whether it has a topic is known at its end. One thread at a time.
class StreamedBag final : public Bag {
 public:
  explicit StreamedBag(BagPtr bag) : bag_(std::move(bag)) {}

  /// Without channels, counts and times before read_whole().
  const Summary& summary() const override { return whole_ ? *whole_ : bag_->summary(); }
  /// Once; behind read_whole() a source of channels without messages.
  std::unique_ptr<Source> read_messages(const Query& query, const Wait& wait) const override;
  std::vector<Extra> extras() const override { return extras_; }

  /// Log time of the first message, in the order in which read() will give them; waits for it.
  /// Nothing: there is none.
  std::optional<Time> start(Order order, TimeField by) const;
  /// `check` is called with all channels when the last message was given, and may throw. It is not
  /// called where the reader has enough before.
  void at_end(std::function<void(const Channels&)> check) const;
  /// Reads it to its end: the summary and the extras are known then. Throws Error (cancelled).
  void read_whole(const std::stop_token& stop) const;
  /// What follows in it beside messages, of the time that read() was asked for, when its reader
  /// has enough; calls the checks. Throws Error (cancelled).
  std::vector<Extra> read_remaining_extras(const std::stop_token& stop) const;

 private:
  class Selected;
  struct Reading;

  BagPtr bag_;
  mutable std::unique_ptr<Source> begun_;  ///< by start()
  mutable std::vector<Batch> first_;       ///< what start() has read
  mutable std::vector<std::function<void(const Channels&)>> checks_;
  mutable std::shared_ptr<Reading> reading_;  ///< what read() has begun; also its source's
  mutable std::optional<Summary> whole_;
  mutable std::vector<Extra> extras_;
};

}  // namespace kitbag::cli
