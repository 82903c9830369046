#include "kitbag/batch.h"

#include <filesystem>
#include <optional>
#include <utility>

#include "batch/job.h"
#include "batch/plan.h"
#include "batch/slurm.h"

// A run is: look which bags there are, read what the journals say of them, compare that with the
// targets, do the rest. There is no other state, so a run that was killed needs no repair. The lock
// on the job spares two runs the same work; what keeps them from damage is that targets appear
// whole and are not replaced.

namespace kitbag {

using namespace batch;

class BatchJob::Impl {
 public:
  Impl(BatchRequest request, const Session& session, const std::stop_token& stop)
      : session_(session),
        request_(complete(std::move(request), session)),
        folder_(request_.job, session),
        tasks_(plan(request_, session, stop)) {
    look(stop);
  }

  const std::vector<BatchTask>& shown() const { return progress_->shown(); }
  BatchCounts counts() const { return progress_->counts(); }
  const BatchRequest& request() const { return request_; }

  void run(const BatchRunOptions& options) {
    std::unique_ptr<FileLock> lock = begin(options);
    require_no_array(folder_);
    if (folder_.files().is_local()) {
      // Nobody else makes anything there, since this run has the lock.
      std::error_code ignored;  // what killed runs have left
      std::filesystem::remove_all(folder_.path_of("made"), ignored);
    }
    Journal journal(folder_, run_name(session_), session_.clock());
    run_tasks(tasks_, places(options), request_, folder_, journal, *progress_, options, session_);
  }

  void run_by_slurm(const BatchRunOptions& options, const BatchSlurmOptions& slurm) {
    std::unique_ptr<FileLock> lock = begin(options);
    SlurmRun(tasks_, request_, folder_, *progress_, options, slurm, session_)
        .run(places(options), records_);
  }

 private:
  void look(const std::stop_token& stop) {
    records_.read(folder_);
    progress_.emplace(tasks_, records_, session_, stop);
  }

  std::unique_ptr<FileLock> begin(const BatchRunOptions& options) {
    folder_.create(request_);
    std::unique_ptr<FileLock> lock = folder_.lock(options.on_warning);
    look(options.stop);  // another run may have ended meanwhile
    return lock;
  }

  std::vector<std::size_t> places(const BatchRunOptions& options) const {
    if (!options.retries) return progress_->in_state(BatchState::waiting);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {  // also bags that were changed since
      const Record* record = records_.find(tasks_[i].target);
      if (record && record->state == BatchState::failed) places.push_back(i);
    }
    return places;
  }

  Session session_;
  BatchRequest request_;
  JobFolder folder_;
  std::vector<Task> tasks_;
  Records records_;
  std::optional<Progress> progress_;
};

BatchJob::BatchJob(BatchRequest request, const Session& session, const std::stop_token& stop)
    : impl_(std::make_unique<Impl>(std::move(request), session, stop)) {}

BatchJob::~BatchJob() = default;

const std::vector<BatchTask>& BatchJob::tasks() const {
  return impl_->shown();
}

BatchCounts BatchJob::counts() const {
  return impl_->counts();
}

const BatchRequest& BatchJob::request() const {
  return impl_->request();
}

void BatchJob::run(const BatchRunOptions& options) {
  impl_->run(options);
}

void BatchJob::run_by_slurm(const BatchRunOptions& options, const BatchSlurmOptions& slurm) {
  impl_->run_by_slurm(options, slurm);
}

}  // namespace kitbag
