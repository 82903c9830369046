#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/error.h"

namespace kitbag {

/// The latest message of each latched channel, for files that begin later.
///
/// Repeated messages need channels of their own, and a channel's slot is fixed. So files get tables
/// twice as long: the channel of slot s in slot 2 s, and behind it the one on which its messages
/// are repeated, which is null in a file where nothing is.
class LatchedMemory {
 public:
  static constexpr std::size_t kMostBytes = 256 << 20;

  /// Remembers at most `most_bytes` of payload: a message without room is not repeated. `tell` is
  /// called for the first such message; empty: nothing is called.
  explicit LatchedMemory(OnProblem tell = {}, std::size_t most_bytes = kMostBytes)
      : tell_(std::move(tell)), most_bytes_(most_bytes) {}

  /// Moves the messages of `batch` to channels of such a table.
  void widen(Batch& batch);
  /// Keeps what is latched in a widened batch.
  void remember(const Batch& batch);
  /// What is remembered, at the time of `first`, as a batch for a file that begins; it declares
  /// `wide`, and no more repeated channels than it needs.
  Batch repeat(const ChannelsPtr& wide, Time first) const;

 private:
  struct Kept {
    Message message;
    std::shared_ptr<const std::vector<std::byte>> data;
  };

  void add(const ChannelPtr& channel);
  void forget(std::uint32_t slot);
  void tell(const Channel& channel);

  OnProblem tell_;
  std::size_t most_bytes_;
  std::size_t bytes_ = 0;  ///< of payload in latest_
  bool has_warned_ = false;
  ChannelsPtr narrow_;  ///< the table that wide_ was made of
  Channels wide_;
  ChannelsPtr shared_;
  std::map<std::uint32_t, Kept> latest_;  ///< by wide slot
};

/// Begins with what `memory` holds, and teaches it.
std::unique_ptr<Writer> with_repeats(std::unique_ptr<Writer> writer,
                                     std::shared_ptr<LatchedMemory> memory);

}  // namespace kitbag
