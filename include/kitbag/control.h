#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kitbag/export.h"
#include "kitbag/time.h"

namespace kitbag {

/// Accepts commands for a running recorder or player at a socket in the file system that only its
/// user may open. Commands and answers are lines of text; `docs/live.md` lists the commands.
///
/// One thread serves all clients and never waits for one of them: a client that leaves a line
/// unfinished or an answer unread for ten seconds is disconnected, and lines are limited in length
/// (docs/live.md). Destruction does not wait for clients.
class KITBAG_API ControlServer {
 public:
  /// Returns the answer to a command; line breaks in it become spaces. Called on the server's
  /// thread. If it throws, the client gets the error as the answer.
  using Answer = std::function<std::string(const std::string& command)>;

  /// Creates the socket at `path`. A socket that was left by a dead process is replaced. Throws
  /// Error: invalid if a process listens there, if the path exists and is not a socket, or if it is
  /// too long for a socket; io if the socket cannot be created.
  ControlServer(std::string path, Answer answer, ClockPtr clock);
  /// Stops the thread and removes the socket.
  ~ControlServer();

 private:
  struct KITBAG_PRIVATE State;
  std::unique_ptr<State> state_;
};

/// Sends one command and returns its answer. Throws Error: not_found if no process listens there,
/// io if there is no answer by `wait.until`, limit if the answer is too long, cancelled if
/// `wait.stop` is requested.
KITBAG_API std::string send_control(const std::string& path, const std::string& command,
                                    Clock& clock, const Wait& wait);

}  // namespace kitbag
