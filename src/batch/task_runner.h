#pragma once

#include <map>
#include <string>

#include "batch/job_folder.h"
#include "batch/record.h"
#include "batch/verbs.h"
#include "batch/worker.h"
#include "kitbag/batch.h"
#include "kitbag/session.h"

namespace kitbag::batch {

/// A task that was done, or has failed.
struct Attempt {
  Record record;
  bool was_there = false;  ///< the target had the content already
  /// It has failed, and the bag is not the reason as far as can be told: a disk may have failed, or
  /// a right be missing. If it goes on like this, the job is ended.
  bool is_suspect = false;
};

/// Does tasks, one after the other, in a process of its own. One thread.
class TaskRunner {
 public:
  /// All of them must outlive it.
  TaskRunner(const BatchRequest& request, const JobFolder& folder, const BatchRunOptions& options,
             const Session& session);

  /// Throws Error: cancelled on options.stop; io if it is nobody's fault and others would fail like
  /// this, too.
  Attempt run(const Task& task, const std::stop_token& stop);

 private:
  Attempt make(const Task& task, const std::stop_token& stop);
  Attempt make_and_compare(const Task& task, const std::stop_token& stop);
  Attempt print(const Task& task, const std::stop_token& stop);
  Outcome run_command(const Task& task, const std::string& target, const std::stop_token& stop);
  Attempt finished(const Task& task, const Outcome& outcome, bool was_there) const;
  Attempt failed(const Task& task, const Outcome& outcome) const;
  void require_sound_surroundings(const Task& task, const Outcome& outcome) const;
  bool is_source_readable(const Task& task) const;
  Record record_of(const Task& task, BatchState state, std::string reason = {}) const;

  const BatchRequest& request_;
  const JobFolder& folder_;
  const BatchRunOptions& options_;
  const Session& session_;
  TargetKind kind_;
  Worker worker_;
};

}  // namespace kitbag::batch
