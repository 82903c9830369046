#pragma once

#include <stop_token>

#include "kitbag/registry.h"
#include "kitbag/time.h"

namespace kitbag::cli {

class Output;
class Signals;

/// What main made and every verb uses. All of it outlives the verb.
struct Context {
  const Registry& registry;
  Clock& clock;
  std::stop_token stop;  ///< requested by the first Ctrl-C, SIGTERM or hang-up
  Output& out;           ///< standard output
  Signals& signals;
};

}  // namespace kitbag::cli
