#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "batch/job.h"
#include "batch/job_folder.h"
#include "batch/journal.h"
#include "batch/record.h"
#include "kitbag/batch.h"

namespace kitbag::batch {

/// Throws Error (busy) if an array job of an earlier run is still at work on the job.
void require_no_array(const JobFolder& folder);

/// Returns the numbers of "3-5,9" and "7%2", as Slurm writes the tasks of an array job. Nothing of
/// what is not understood.
std::vector<std::uint64_t> array_numbers(std::string_view text);

/// Does tasks by an array job of Slurm. All that it is given must outlive it.
class SlurmRun {
 public:
  SlurmRun(const std::vector<Task>& tasks, const BatchRequest& request, const JobFolder& folder,
           Progress& progress, const BatchRunOptions& options, const BatchSlurmOptions& slurm,
           const Session& session);

  /// Submits the tasks at `places`, unless an array job is at work, and waits for its end.
  /// `records` are those that were read. Throws as BatchJob::run_by_slurm().
  void run(const std::vector<std::size_t>& places, Records& records);

 private:
  void submit(const std::vector<std::size_t>& places);
  std::uint64_t bags_per_task(std::size_t bags) const;
  std::string script() const;
  void watch(Records& records);
  bool read(Records& records);
  void put_off_rest() const;
  void cancel(const std::string& reason) const;

  const std::vector<Task>& tasks_;
  const BatchRequest& request_;
  const JobFolder& folder_;
  Progress& progress_;
  const BatchRunOptions& options_;
  const BatchSlurmOptions& slurm_;
  const Session& session_;
  std::map<std::string_view, std::size_t> places_by_target_;
  std::string number_;  ///< of the array job
  std::string run_;
  std::map<std::string, std::uint64_t, std::less<>> array_tasks_;  ///< of the run, by target
};

}  // namespace kitbag::batch
