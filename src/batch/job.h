#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "batch/job_folder.h"
#include "batch/journal.h"
#include "batch/record.h"
#include "batch/task_runner.h"
#include "kitbag/batch.h"
#include "kitbag/session.h"

namespace kitbag::batch {

/// The tasks of a run and what becomes of them: in memory, for who asks, and in a journal. Can be
/// used from any thread after it was made.
class Progress {
 public:
  /// What `records` say of the tasks is compared with what is in the targets.
  Progress(const std::vector<Task>& tasks, const Records& records, const Session& session,
           const std::stop_token& stop);

  const std::vector<BatchTask>& shown() const { return shown_; }
  BatchCounts counts() const;
  /// Returns the places of the tasks in that state.
  std::vector<std::size_t> in_state(BatchState state) const;
  /// Notes what became of a task, and says so.
  void put(std::size_t place, const Record& record, bool was_there, const BatchRunOptions& options);
  /// Notes why a task is not done yet.
  void put_off(std::size_t place, const std::string& reason);

 private:
  mutable std::mutex mutex_;
  std::vector<BatchTask> shown_;
  BatchCounts counts_;
};

/// Does the tasks at `places` in processes of this machine, and notes what becomes of them. Throws
/// as BatchJob::run().
void run_tasks(const std::vector<Task>& tasks, const std::vector<std::size_t>& places,
               const BatchRequest& request, const JobFolder& folder, Journal& journal,
               Progress& progress, const BatchRunOptions& options, const Session& session);

/// Returns a name for what a run writes: names of later runs are behind it.
std::string run_name(const Session& session);

}  // namespace kitbag::batch
