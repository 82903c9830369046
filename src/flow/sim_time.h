#pragma once

#include <memory>

#include "kitbag/stream.h"

namespace kitbag {

/// Gives messages the time that the last message on /clock has told as their log time; leaves out
/// what comes before the first.
std::unique_ptr<Stage> sim_time();

}  // namespace kitbag
