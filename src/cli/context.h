#pragma once

#include <stop_token>

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
};

}  // namespace kitbag::cli
