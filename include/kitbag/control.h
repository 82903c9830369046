#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kitbag/export.h"
#include "kitbag/time.h"

namespace kitbag {

/// Takes commands for what is running, a line each, at a socket of the file system that only its
/// user may open. `docs/live.md` has the commands.
///
/// No client can hold it up: what a client does not send, or does not take, is waited for without
/// holding back others, for ten seconds and within limits (docs/live.md). Destruction waits for
/// none of them.
class KITBAG_API ControlServer {
 public:
  /// The answer to a command; a line break in it becomes a space. Called on a thread of its own;
  /// what it throws is answered.
  using Answer = std::function<std::string(const std::string& command)>;

  /// A socket whose process has ended is replaced. Throws Error: invalid
  /// if somebody listens there, or the path is no socket; io if it cannot be made.
  ControlServer(std::string path, Answer answer, ClockPtr clock);
  /// Removes the socket.
  ~ControlServer();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Sends one command and returns its answer. Throws Error: not_found if nobody listens there, io if
/// there is no answer by `wait.until`, limit if it is too long, cancelled when `wait.stop` is
/// requested.
KITBAG_API std::string send_control(const std::string& path, const std::string& command,
                                    Clock& clock, const Wait& wait);

}  // namespace kitbag
