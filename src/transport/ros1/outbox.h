#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace kitbag::ros1 {

/// What roscpp was given for subscribers and has not passed on to the system yet, of all publishers
/// of a node together. roscpp counts nothing, but it frees a message that nobody is left to send.
/// From any thread.
class Outbox {
 public:
  static constexpr std::int64_t kMostMessages = 4096;
  static constexpr std::int64_t kMostBytes = 64 << 20;

  /// Whether there is room for a message of that size. One that is larger has room alone.
  bool has_room(std::size_t bytes) const {
    return messages() <= 0 ||
           (messages() < kMostMessages &&
            bytes_ - kept_bytes_ + static_cast<std::int64_t>(bytes) <= kMostBytes);
  }
  /// Those that roscpp still holds for a subscriber.
  std::int64_t messages() const { return messages_ - kept_messages_; }
  /// How many roscpp has freed.
  std::uint64_t freed() const { return freed_; }

  /// A message is given to roscpp.
  void add(std::size_t bytes) {
    ++messages_;
    bytes_ += static_cast<std::int64_t>(bytes);
  }
  /// roscpp has freed one.
  void remove(std::size_t bytes) {
    --messages_;
    bytes_ -= static_cast<std::int64_t>(bytes);
    ++freed_;
  }
  /// A latched topic keeps its last message for those who come later, and thus counts it as long as
  /// it lives: `bytes` in place of `before`. The first of a topic replaces none.
  void keep(std::size_t bytes, std::size_t before, bool is_first) {
    kept_bytes_ += static_cast<std::int64_t>(bytes) - static_cast<std::int64_t>(before);
    if (is_first) ++kept_messages_;
  }

 private:
  std::atomic<std::int64_t> messages_ = 0;
  std::atomic<std::int64_t> bytes_ = 0;
  std::atomic<std::int64_t> kept_messages_ = 0;
  std::atomic<std::int64_t> kept_bytes_ = 0;
  std::atomic<std::uint64_t> freed_ = 0;
};

/// Bytes on the way to peers of this process that connected to that TCP port of it: what their
/// systems have not confirmed.
std::uint64_t unconfirmed_bytes(unsigned port);

}  // namespace kitbag::ros1
