#pragma once

#include <memory>

#include "kitbag/stream.h"

namespace kitbag {

/// Sets the log time of messages to the time of the last message on /clock; leaves out what comes
/// before the first.
std::unique_ptr<Stage> sim_time();

}  // namespace kitbag
