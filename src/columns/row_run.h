#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/thread_pool.h"
#include "columns/row_filler.h"
#include "kitbag/message.h"
#include "kitbag/transcode.h"

namespace kitbag {

/// Messages of a source in their order, of one batch or of several.
struct Portion {
  Batch batch = {};
  std::vector<std::size_t> ends = {};  ///< where batches of the source end among the messages
  std::size_t at = 0;                  ///< the next message
  std::size_t ended = 0;               ///< how many of `ends` are behind `at`

  bool is_used_up() const { return at == batch.messages().size(); }
  std::size_t held_bytes() const;
  /// Back to the first message.
  void rewind() { at = ended = 0; }
  /// Adds rows to `filler` until it has a full batch, or all are used up. The columns are weighed
  /// where a batch of the source ends. Throws as RowFiller::add().
  void fill(RowFiller& filler, std::uint64_t batch_rows);
};
using Portions = std::list<Portion>;

/// What the runs of a table share.
struct RunState {
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t held_bytes = 0;  ///< of all messages that runs hold
};

/// Messages that are to become one batch, and the rows that they have become so far. One thread
/// gives them and takes the result; others work.
class RowRun : public std::enable_shared_from_this<RowRun> {
 public:
  RowRun(std::unique_ptr<RowFiller> filler, std::uint64_t batch_rows,
         std::shared_ptr<RunState> state);

  /// Returns whether messages of the channel become rows.
  bool takes(const Channel& channel);
  void give(Portion portion, ThreadPool& pool);
  /// The messages before are complete: what has become rows is not needed again.
  void make_first();
  /// Works on one portion, unless another thread does, or nothing waits. Returns whether it has.
  bool help();

  /// Returns whether all messages given have become rows. Never true if has_stopped() is: a run may
  /// stop between the two calls.
  bool is_done() const;
  /// Returns whether messages are left behind a full batch or an error.
  bool has_stopped() const;
  /// The caller holds the mutex.
  bool is_working() const { return is_working_; }
  /// Nobody begins with another portion.
  void stop();
  /// Waits until nobody works on it.
  void wait();

  /// What follows is for runs that are done or stopped.
  std::unique_ptr<RowFiller> take_filler() { return std::move(filler_); }
  RowFiller& filler() { return *filler_; }
  TranscodeReport& report() { return report_; }
  /// The error is released on the thread that takes it: a job may hold the run for longer.
  std::exception_ptr take_error() { return std::exchange(error_, nullptr); }
  /// All messages that are held: those that have become rows, too, unless this is the first run.
  Portions take_portions();

 private:
  void work();
  void work_on_next(std::unique_lock<std::mutex>& lock);
  bool can_work() const { return !is_working_ && !has_stopped_ && !waiting_.empty(); }
  void release(Portions& portions, std::unique_lock<std::mutex>& lock);

  TranscodeReport report_;
  std::unique_ptr<RowFiller> filler_;
  std::uint64_t batch_rows_;
  std::shared_ptr<RunState> state_;
  // Guarded by the mutex of `state_`:
  Portions waiting_;
  Portions decoded_;  ///< may have to be decoded again
  std::exception_ptr error_;
  bool is_first_ = false;
  bool is_working_ = false;
  bool is_posted_ = false;
  bool has_stopped_ = false;
};

}  // namespace kitbag
