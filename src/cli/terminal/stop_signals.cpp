#include "cli/terminal/stop_signals.h"

namespace kitbag::cli {

StopSignals::Meaning StopSignals::take(SteadyTime now) {
  if (!first_) {
    first_ = now;
    return Meaning::stop;
  }
  return now - *first_ < kPatience ? Meaning::repeated : Meaning::leave;
}

}  // namespace kitbag::cli
