#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kitbag/export.h"

namespace kitbag {

/// Takes commands for what is running, a line each, at a socket of the file system that only its
/// user may open. `docs/control.md` has the commands.
class KITBAG_API ControlServer {
 public:
  /// The answer to a command, without line breaks. Called on a thread of its own; what it throws is
  /// answered.
  using Answer = std::function<std::string(const std::string& command)>;

  /// A socket that nobody listens at any more is replaced. Throws Error: invalid if somebody does,
  /// io if it cannot be made.
  ControlServer(std::string path, Answer answer);
  /// The socket goes.
  ~ControlServer();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Sends one command; its answer. Throws Error: not_found if nobody listens there, io.
KITBAG_API std::string send_control(const std::string& path, const std::string& command);

}  // namespace kitbag
