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

namespace kitbag {

/// What becomes of a message for which there is no room.
enum class OnFull {
  block,        ///< who has it waits
  drop_oldest,  ///< the oldest go, until there is
  drop_newest,  ///< it goes itself
};

/// Where messages come in one by one, from any threads, and leave as batches on one. A push costs a
/// copy into memory that was touched before, and wakes the reader now and then, not each time. It
/// is bounded in bytes: payload, and sizeof(Message) for each message. What does not fit waits, or
/// is dropped and counted; what is larger than the feed passes when it is empty.
class KITBAG_API Feed final : public Source {
 public:
  /// A reader comes again no sooner than this, but for much: a message waits so long for others.
  static constexpr Duration kGather = std::chrono::milliseconds(5);

  /// Takes `capacity_bytes` of memory at once, so that a full feed is as fast as an empty one.
  Feed(std::size_t capacity_bytes, OnFull on_full, ClockPtr clock);
  ~Feed() override;

  // From any thread:

  /// One more channel, in a slot of its own; its messages name it. Every batch declares it.
  ChannelPtr add(Channel channel);
  /// Takes a message of a channel that add() gave. Its data is copied; but where it has an `owner`,
  /// and kLendBytes or more, that is kept. False: it is dropped and counted. With OnFull::block
  /// waits for room. Throws Error: cancelled after abandon(), invalid after close() or fail().
  bool push(const Message& message, const Owner& owner = {});
  /// Counts messages of a channel that add() gave which were lost before they could be pushed. They
  /// are no part of dropped().
  void count_lost(const Channel& channel, std::uint64_t messages);
  /// No more will come; the reader gets what is inside, then the end.
  void close();
  /// The reader gets what is inside, then `error`.
  void fail(std::exception_ptr error);
  /// Messages dropped so far because there was no room, by slot.
  std::vector<std::uint64_t> dropped() const;
  /// Messages counted by count_lost(), by slot.
  std::vector<std::uint64_t> lost() const;
  /// What waits for the reader, as the capacity counts it.
  std::size_t held_bytes() const;

  // The reader's:

  ChannelsPtr channels() const override;
  bool read(Batch& batch, const Wait& wait) override;
  /// The reader has gone: who waits or comes to push gets Error (cancelled).
  void abandon();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kitbag
