#pragma once

#include <optional>
#include <stop_token>

#include "kitbag/leave.h"
#include "kitbag/session.h"
#include "kitbag/time.h"

namespace kitbag::cli {

class Output;
class Signals;

/// What main made and every verb uses. All of it outlives the verb.
struct Context {
  const Session& session;
  Clock& clock;          ///< the session's
  std::stop_token stop;  ///< requested by the first Ctrl-C, SIGTERM or hang-up
  Output& out;           ///< standard output
  Signals& signals;
  /// Set by a verb that completes what it does after a stop request and says so: from then on only
  /// a second signal ends the process before its exit code is given.
  std::optional<NoLeave>& result_stands;
};

}  // namespace kitbag::cli
