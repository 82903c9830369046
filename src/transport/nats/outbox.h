#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "transport/nats/connection.h"

namespace kitbag::nats {

/// Messages that a server has not confirmed yet, in the order in which they were sent. For one
/// thread.
class Outbox {
 public:
  static constexpr std::size_t kMostMessages = 4096;
  static constexpr std::size_t kMostBytes = 64 << 20;

  /// Whether there is room for a message of that size. One that is larger has room alone.
  bool has_room(std::size_t bytes) const {
    return messages_.empty() || (messages_.size() < kMostMessages && bytes_ + bytes <= kMostBytes);
  }
  bool empty() const { return unconfirmed_ == 0; }
  /// Those that are not confirmed.
  std::size_t size() const { return unconfirmed_; }
  /// The number that the next message gets.
  std::uint64_t next() const { return first_ + messages_.size(); }

  void add(NatsMessage message, std::size_t bytes);
  /// What is confirmed is forgotten. Any number may come, also twice. False: it is not there.
  bool confirm(std::uint64_t number);
  void confirm_all();
  /// Calls `send` with what is not confirmed, until it returns false.
  void each(const std::function<bool(natsMsg* message)>& send) const;

 private:
  struct Entry {
    NatsMessage message;  ///< null: it is confirmed
    std::size_t bytes = 0;
  };

  std::deque<Entry> messages_;
  std::uint64_t first_ = 1;  ///< the number of the first one
  std::size_t unconfirmed_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace kitbag::nats
