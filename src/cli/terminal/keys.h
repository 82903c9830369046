#pragma once

#include <functional>
#include <optional>
#include <thread>

#include "cli/terminal/signals.h"
#include "kitbag/leave.h"

namespace kitbag::cli {

/// The keys of a terminal, one by one, while it lives and this program is in the terminal's
/// foreground: also again after Ctrl-Z and `fg`. Nothing where standard input is no terminal.
class Keys {
 public:
  enum class Key { space, s, q, up, down, left, right, other };

  /// `on_key` is called on a thread of its own. `signals` must outlive it.
  Keys(Signals& signals, std::function<void(Key)> on_key);
  /// The terminal is as it was.
  ~Keys();
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;

 private:
  void read();
  /// False: the terminal has gone.
  bool read_some(short events);

  std::function<void(Key)> on_key_;
  int wake_ = -1;
  std::optional<OnLeave> on_leave_;
  std::optional<JobControl> job_control_;
  std::thread thread_;
};

}  // namespace kitbag::cli
