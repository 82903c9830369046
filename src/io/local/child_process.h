#pragma once

#include <spawn.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "io/posix.h"
#include "kitbag/leave.h"

namespace kitbag {

/// Which descriptors and signals a child begins with.
class ChildStart {
 public:
  ChildStart();
  ~ChildStart();
  ChildStart(const ChildStart&) = delete;
  ChildStart& operator=(const ChildStart&) = delete;

  /// The child gets `file` as its descriptor `as`.
  void give(const Descriptor& file, int as);
  /// The child gets no descriptors from `first` on.
  void close_from(int first);
  const posix_spawn_file_actions_t* files() const { return &files_; }
  const posix_spawnattr_t* signals() const { return &signals_; }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t signals_;
};

/// A child that runs; killed when it was not waited for. One thread.
class ChildProcess {
 public:
  /// Starts the program `arguments[0]`, looked up in PATH. Throws Error: not_found when there is
  /// no such program, io when it cannot be run.
  ChildProcess(const std::vector<std::string>& arguments, const ChildStart& start);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t id() const { return id_; }
  /// Waits for its end. Returns its exit code, or 128 and the number of the signal that ended it.
  int wait();

 private:
  pid_t id_ = 0;
  std::optional<OnLeave> on_leave_;
};

}  // namespace kitbag
