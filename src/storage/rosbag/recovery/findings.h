#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kitbag/error.h"
#include "storage/rosbag/record_file.h"
#include "storage/rosbag/recovery/salvage.h"

namespace kitbag::rosbag {

/// Damage that a scan has found, before all about it is known.
struct Finding {
  ErrorCode code = ErrorCode::corrupt;
  std::string what = {};  ///< empty: nothing is wrong
  // The part of the file that it concerns, and what was saved from it.
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t messages = 0;
  /// What may be lost. Its messages are those that the damaged part itself lists.
  std::optional<Loss> loss = std::nullopt;
  bool is_counted = false;   ///< the loss is exact: no index knows better
  bool is_doubtful = false;  ///< messages that are there may be damaged
};

/// The log times between which lost data lies. It gets the messages and gaps in file order.
class GapTimes {
 public:
  explicit GapTimes(std::optional<Time> last) : last_(last) {}

  void message(Time time) {
    if (is_open_) to_ = time;
    is_open_ = false;
    if (!first_) first_ = time;
    last_ = time;
  }
  void gap() {
    if (!has_gap_) from_ = last_;
    has_gap_ = is_open_ = true;
    to_.reset();
  }
  void put_into(Loss& loss) const;
  /// The first time of the messages so far.
  std::optional<Time> first() const { return first_; }
  std::optional<Time> last() const { return last_; }

 private:
  bool has_gap_ = false;
  bool is_open_ = false;  ///< no message has come since
  std::optional<Time> first_, last_, from_, to_;
};

/// What an index says of one chunk.
struct Promise {
  std::uint64_t offset;  ///< of the chunk
  std::uint64_t messages;
};

/// Collects damage in file order. What it has cost is worked out at the end of the scan, when the
/// file's own index has been met, which says how many messages there were.
class Findings {
 public:
  void add(Finding finding);
  /// Messages from `first` to `last` were found, behind all that was added so far.
  void note_messages(Time first, Time last);
  /// Log time of the last message found.
  std::optional<Time> last_time() const { return last_time_; }
  void promise(const Promise& promise) { promises_.push_back(promise); }
  std::size_t promises() const { return promises_.size(); }

  /// Reports all. `is_index_whole`: there is a promise for every chunk that there ever was.
  void report(const ChunkFile& file, bool is_index_whole, const OnProblem& on_problem);

 private:
  void settle(Finding& finding, bool is_index_whole) const;
  std::optional<std::uint64_t> promised_for(const Finding& finding, bool is_index_whole) const;

  std::vector<Finding> findings_;
  std::uint64_t unlisted_ = 0;  ///< findings that went into the last one
  std::vector<Promise> promises_;
  std::optional<Time> last_time_;
};

/// The times of messages that the index places and that are not there, into `loss`.
void put_times(const std::vector<IndexPlace>& missed, Loss& loss);

}  // namespace kitbag::rosbag
