#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "kitbag/bytes.h"
#include "kitbag/export.h"
#include "kitbag/message.h"
#include "kitbag/stream.h"
#include "kitbag/time.h"

// A Feed collects single messages from many threads and gives them to one reader as batches. A
// transport pushes what it receives into a Feed; the recorder reads from it:
//
//   ChannelPtr channel = feed.add({.topic = "/imu", .encoding = "cdr"});    // any thread
//   feed.push({channel.get(), sequence, 0, log_time, publish_time, payload});
//
// A push copies the payload into memory that was touched before, and takes a lock for some
// instructions. It does not wake the reader each time: the reader comes back every 5 ms, or earlier
// if there is much to read. The capacity bounds memory in bytes: payload, and sizeof(Message) per
// message. When the feed is full, producers wait, or messages are dropped and counted.

namespace kitbag {

/// What happens to a message for which there is no space.
enum class OnFull {
  block,        ///< the caller waits until there is space
  drop_oldest,  ///< the oldest messages are dropped until there is space
  drop_newest,  ///< the new message is dropped
};

/// A bounded buffer between any number of producers and one reader. A message that is larger than
/// the capacity is accepted when the feed is empty.
class KITBAG_API Feed final : public Source {
 public:
  /// While less than a full batch is waiting, read() returns messages at most this often; so a
  /// message may wait this long for others.
  static constexpr Duration kGather = std::chrono::milliseconds(5);

  /// Allocates and touches `capacity_bytes` of memory at once, so that a full feed is as fast as an
  /// empty one.
  Feed(std::size_t capacity_bytes, OnFull on_full, ClockPtr clock);
  ~Feed() override;

  // Producers; from any thread:

  /// Adds a channel and returns it with a slot of its own; messages point at the returned one. All
  /// following batches declare it.
  ChannelPtr add(Channel channel);
  /// Adds a message of a channel that add() returned. The data is copied, unless it has an `owner`
  /// and at least kLendBytes; then the feed keeps the owner instead. Returns false if the message
  /// was dropped because there is no space; it is then counted in dropped(). With OnFull::block,
  /// waits for space. Throws Error: cancelled after abandon(), invalid after close() or fail(). A
  /// push during close(), fail() or abandon() may return false instead.
  bool push(const Message& message, const Owner& owner = {});
  /// Counts `messages` of a channel that add() returned as lost before they could be pushed. They
  /// are not part of dropped().
  void count_lost(const Channel& channel, std::uint64_t messages);
  /// Ends the feed: the reader gets the remaining messages, then the end.
  void close();
  /// Ends the feed with an error: the reader gets the remaining messages, then `error`.
  void fail(std::exception_ptr error);
  /// Returns the number of messages dropped so far because there was no space, by slot.
  std::vector<std::uint64_t> dropped() const;
  /// Returns the number of messages counted by count_lost(), by slot.
  std::vector<std::uint64_t> lost() const;
  /// Returns the size of the messages that wait for the reader, as the capacity counts it.
  std::size_t held_bytes() const;

  // Reader; one thread:

  ChannelsPtr channels() const override;
  bool read(Batch& batch, const Wait& wait) override;
  /// Says that the reader is gone: what waits for it is dropped, and counted so. Producers that
  /// wait now or push later get Error (cancelled).
  void abandon();

 private:
  struct KITBAG_PRIVATE State;
  std::unique_ptr<State> state_;
};

}  // namespace kitbag
