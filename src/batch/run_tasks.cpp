#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <stop_token>
#include <thread>

#include "batch/job.h"

// Who is at fault for a failure decides what follows. A bag that is damaged, or crashes its
// process, is noted as failed, and the rest goes on. A full disk or a store that does not answer
// ends the run at once, and nothing is noted of the bags that were being done. Between the two are
// failures of the system that could be either, such as a file that must not be written: they are
// noted when another bag has been done after them, and ten in a row end the run.

namespace kitbag::batch {
namespace {

constexpr std::size_t kMostSuspects = 10;

class Run {
 public:
  Run(const std::vector<Task>& tasks, const std::vector<std::size_t>& places, Journal& journal,
      Progress& progress, const BatchRunOptions& options)
      : tasks_(tasks),
        places_(places),
        journal_(journal),
        progress_(progress),
        options_(options),
        on_stop_(options.stop, [this] { stop_.request_stop(); }) {}

  void work(const BatchRequest& request, const JobFolder& folder, const Session& session) {
    try {
      TaskRunner runner(request, folder, options_, session);
      for (std::size_t i = next_++; i < places_.size(); i = next_++) {
        throw_if_stopped({stop_.get_token()});
        // Each thread has a process of its own, and takes the next bag when it has none: bags
        // differ by orders of magnitude, so no share is fixed before.
        note(places_[i], runner.run(tasks_[places_[i]], stop_.get_token()));
      }
    } catch (...) {
      std::lock_guard lock(mutex_);
      // The stop makes the other threads throw too; what they throw is a consequence.
      if (!failure_) failure_ = std::current_exception();
      stop_.request_stop();
    }
  }

  void finish() {
    // The suspects are dropped: the failure that ended the run is likely to be theirs, too.
    if (failure_) {
      journal_.flush();
      std::rethrow_exception(failure_);
    }
    note_suspects();
    journal_.flush();
  }

 private:
  struct Suspect {
    std::size_t place;
    Attempt attempt;
  };

  void note(std::size_t place, const Attempt& attempt) {
    std::lock_guard lock(mutex_);
    if (!attempt.is_suspect) {
      note_suspects();
      return put(place, attempt);
    }
    suspects_.push_back({place, attempt});
    if (suspects_.size() < kMostSuspects) return;
    throw Error(ErrorCode::io,
                fmt::format("{} bags in a row could not be done, and it is not their fault; the "
                            "last one: {}",
                            suspects_.size(), attempt.record.reason));
  }

  void note_suspects() {
    for (const Suspect& each : suspects_) put(each.place, each.attempt);
    suspects_.clear();
  }

  void put(std::size_t place, const Attempt& attempt) {
    journal_.add(attempt.record);
    progress_.put(place, attempt.record, attempt.was_there, options_);
  }

  const std::vector<Task>& tasks_;
  const std::vector<std::size_t>& places_;
  Journal& journal_;
  Progress& progress_;
  const BatchRunOptions& options_;
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> on_stop_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::vector<Suspect> suspects_;
  std::exception_ptr failure_;  ///< the first
};

}  // namespace

void run_tasks(const std::vector<Task>& tasks, const std::vector<std::size_t>& places,
               const BatchRequest& request, const JobFolder& folder, Journal& journal,
               Progress& progress, const BatchRunOptions& options, const Session& session) {
  Run run(tasks, places, journal, progress, options);
  std::size_t threads = std::min<std::size_t>(std::max(1U, options.processes), places.size());
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < threads; ++i) {
      others.emplace_back([&] { run.work(request, folder, session); });
    }
    if (threads > 0) run.work(request, folder, session);
  }
  run.finish();
}

std::string run_name(const Session& session) {
  return fmt::format("{:020}-{}", to_ns(session.clock()->wall()), ::getpid());
}

}  // namespace kitbag::batch
