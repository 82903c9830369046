#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/export.h"
#include "kitbag/session.h"

// A BatchJob does one thing with thousands of bags: it converts, repairs, exports, checks or
// searches each of them, on this machine or on a cluster by Slurm. It can be killed at any moment
// and started again: what is done is known by its content, and is not done twice.
//
//   BatchJob job({.verb = "convert", .from = {"s3://bags/*.bag"}, .to = "s3://converted"},
//   session); job.run({.program = "/usr/bin/kitbag", .processes = 4});
//
// Each bag is the command line of `kitbag VERB`, run in a process of its own or in one that takes
// many in turn. So a bag that crashes its process ends no other. docs/batch.md describes all of it.

namespace kitbag {

/// What is to be done. Without a verb: what the job in the folder `job` does.
struct BatchRequest {
  std::string verb = {};                  ///< convert, repair, export, check or find
  std::vector<std::string> from = {};     ///< bags, folders of bags, and globs of any file system
  std::string to = {};                    ///< a folder of any file system that can be written to
  std::vector<std::string> options = {};  ///< those of `kitbag VERB`, the same for each bag
  /// The format of targets that are bags, by name; empty: each has that of its bag. The options
  /// have to say the same.
  std::string format = {};
  /// A folder for what is known of the job; empty: one in `to`, that follows from the rest.
  std::string job = {};
};

/// What became of a bag.
enum class BatchState {
  waiting,  ///< nothing yet
  done,     ///< its target is there
  damaged,  ///< its target is there; the bag is damaged, or was found not to be sound
  failed,   ///< it has no target
};

/// Returns the state for people: "done", "waiting".
KITBAG_API const char* to_string(BatchState state);

/// A bag, and what is made of it.
struct BatchTask {
  std::string source;                      ///< path or URI of the bag
  std::string target;                      ///< of the file, or of the folder ("/" at its end)
  BatchState state = BatchState::waiting;  ///< now
  std::string reason = {};                 ///< why it is damaged, failed, or must wait
  bool was_there = false;                  ///< nothing had to be written
};

/// How many bags have become what.
struct BatchCounts {
  std::uint64_t all = 0;      ///< bags
  std::uint64_t done = 0;     ///< with a sound target, also before this run
  std::uint64_t damaged = 0;  ///< likewise
  std::uint64_t failed = 0;   ///< likewise
  std::uint64_t before = 0;   ///< of them all, what earlier runs have left

  /// Returns how many are not done yet.
  std::uint64_t waiting() const {
    std::uint64_t ended = done + damaged + failed;
    return all > ended ? all - ended : 0;
  }
};

/// How a batch is run.
struct BatchRunOptions {
  /// Returns the command line that starts a process which calls serve_batch().
  std::function<std::vector<std::string>(const BatchRequest& request)> worker = {};
  /// Returns the command line that such a process gets for a bag: it has to write `target`, or to
  /// print its result for verbs that do so.
  std::function<std::vector<std::string>(const BatchRequest& request, const std::string& source,
                                         const std::string& target)>
      command = {};
  unsigned processes = 1;     ///< at the same time; by Slurm: 0 is no limit
  bool retries = false;       ///< only what has failed is done, again
  bool may_replace = false;   ///< targets that are there with another content
  std::stop_token stop = {};  ///< ends the run; what is being done is given up
  /// Called when a bag is done, damaged or has failed, one call at a time, from any thread.
  std::function<void(const BatchTask& task, const BatchCounts& counts)> on_task = {};
  OnWarning on_warning = {};  ///< called for leftovers that were removed, for example
};

/// How Slurm runs a batch.
struct BatchSlurmOptions {
  /// The command line that starts a task; the three arguments of run_batch_task() follow.
  std::vector<std::string> task = {};
  std::uint64_t bags_per_task = 0;        ///< 0: so many that there are 200 tasks at most
  std::vector<std::string> options = {};  ///< more of sbatch
  /// Called with the number of the array job when it is submitted, or was found to be at work;
  /// `tasks` is how many it has, 0 if that is not known.
  std::function<void(const std::string& number, std::uint64_t tasks)> on_submitted = {};
};

/// Returns the verbs of `kitbag` that BatchRequest::verb may name.
KITBAG_API std::vector<std::string> batch_verbs();

/// Many bags with which the same is done. One thread at a time.
class KITBAG_API BatchJob {
 public:
  /// Looks which bags there are, and what became of them in earlier runs. Writes nothing. Throws
  /// Error: invalid for a request that makes no sense, as when two bags would have the same target;
  /// not_found if there are no bags; io; cancelled on `stop`.
  BatchJob(BatchRequest request, const Session& session, const std::stop_token& stop = {});
  ~BatchJob();
  BatchJob(const BatchJob&) = delete;
  BatchJob& operator=(const BatchJob&) = delete;

  /// Returns all bags, sorted by source.
  const std::vector<BatchTask>& tasks() const;
  /// Returns how many of them have become what.
  BatchCounts counts() const;
  /// Returns the request with absolute paths, and with the folder of the job.
  const BatchRequest& request() const;

  /// Does what is not done yet, in processes of this machine. What was damaged or has failed is not
  /// tried again, except by `options.retries`. A bag that fails ends nothing. Throws Error: busy if
  /// another run is at work on the same job; io for what is nobody's fault, such as a full disk or
  /// a store that cannot be reached, and that would let all bags fail; cancelled on stop.
  void run(const BatchRunOptions& options);
  /// The same on a cluster, by an array job of Slurm, and waits for its end. If an array job of an
  /// earlier run is still at work, it waits for that one. Throws as run(); not_found if sbatch is
  /// not installed. When it is cancelled, the array job goes on.
  void run_by_slurm(const BatchRunOptions& options, const BatchSlurmOptions& slurm);

 private:
  class KITBAG_PRIVATE Impl;
  std::unique_ptr<Impl> impl_;
};

/// A task of an array job: does the bags that are its own in the job in the folder `job`. `run`
/// and `number` are what run_by_slurm() has given to it. Returns what became of these bags. Throws
/// as BatchJob::run().
KITBAG_API BatchCounts run_batch_task(const std::string& job, const std::string& run,
                                      std::uint64_t number, const BatchRunOptions& options,
                                      const Session& session);

/// Runs a command line of kitbag (without "kitbag"), and returns its exit code or throws.
using BatchCommand = std::function<int(const std::vector<std::string>& arguments)>;
/// What a process does that BatchJob::run() has started: takes command lines from its standard
/// input, one after the other, runs each by `command`, and answers there. Returns when there are no
/// more, or after a command that was cancelled. Throws Error (io).
KITBAG_API void serve_batch(const BatchCommand& command);

}  // namespace kitbag
