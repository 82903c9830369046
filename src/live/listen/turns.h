#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <utility>
#include <vector>

#include "kitbag/stream.h"
#include "kitbag/time.h"
#include "stream/channel_table.h"

namespace kitbag {

/// Inputs that are read in turn as one source. The reader asks one after the other what is at hand
/// and, if there is nothing, sleeps as long as a feed gathers messages in any case: a message waits
/// no longer than with one input, and no thread and no copy stands between them and the reader.
class Turns {
 public:
  /// Adds to the batch what an input has at hand. False: it has ended.
  using ReadInput =
      std::function<bool(std::size_t input, Batch& batch, const std::stop_token& stop)>;

  Turns(ClockPtr clock, ReadInput read_input)
      : clock_(std::move(clock)), read_input_(std::move(read_input)) {}

  /// All are added before the first read(). The end of a companion is not waited for.
  void add(const ChannelsPtr& channels, bool is_companion = false);
  /// The input has another table of channels from now on.
  void replace(std::size_t input, const ChannelsPtr& channels);

  ChannelsPtr channels() const;
  bool read(Batch& batch, const Wait& wait);

  /// Adds what `counts` has by the slots of an input to `sums`, by the slots of channels(). Any
  /// thread.
  void add_counts(std::size_t input, const std::vector<std::uint64_t>& counts,
                  std::vector<std::uint64_t>& sums) const;

 private:
  struct Input {
    bool is_companion = false;
    bool has_ended = false;
    ChannelsPtr given;
    std::vector<const Channel*> mapped;  ///< the table's, by the input's slot
  };

  bool take(Input& input, Batch& batch);
  bool take_channels(Input& input, ChannelsPtr given);

  ClockPtr clock_;
  ReadInput read_input_;
  std::size_t next_ = 0;  ///< the input that is read first, so that none is always last
  mutable std::mutex mutex_;
  ChannelTable table_;         ///< with the lock
  std::vector<Input> inputs_;  ///< `mapped` with the lock; the rest is the reader's
};

}  // namespace kitbag
