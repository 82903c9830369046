#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "io/local/child_process.h"
#include "io/posix.h"
#include "kitbag/error.h"
#include "kitbag/file.h"

namespace kitbag::batch {

/// What became of a command line.
struct Outcome {
  int exit_code = 0;                    ///< of the command
  std::optional<ErrorCode> error = {};  ///< it has thrown one
  int number = 0;                       ///< errno of the error; 0: none is known
  std::string text = {};                ///< of the error
  std::string said = {};                ///< on standard error, the beginning of it
  bool has_crashed = false;             ///< it has ended its process
};

/// A process of kitbag that runs command lines, one after the other. If it crashes, the next
/// command line gets a new one. One thread, as long as the object lives: the system ends the
/// process with the thread that has started it.
class Worker {
 public:
  /// Starts `program`, which has to call serve_batch(). Throws Error (not_found, io).
  explicit Worker(std::vector<std::string> program);
  /// Ends the process.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Runs a command line. Throws Error: cancelled on `stop`, when the process has given up what it
  /// did, or has not done so for a moment and was killed; io if it cannot be started.
  Outcome run(const std::vector<std::string>& arguments, const std::stop_token& stop);
  /// Returns what the last command line has printed. Valid until the next one.
  std::shared_ptr<const ReadFile> printed() const;

 private:
  void start();
  void send(const std::vector<std::string>& arguments);
  /// Nothing: the process has ended.
  std::optional<Outcome> receive(const std::stop_token& stop);
  Outcome crash();
  std::string said() const;

  std::vector<std::string> program_;
  Descriptor out_;
  Descriptor err_;
  Descriptor socket_;
  std::optional<ChildProcess> child_;
};

}  // namespace kitbag::batch
