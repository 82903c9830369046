#pragma once

#include "kitbag/registry.h"

namespace kitbag::demo {

/// "demo://?seconds=5&seed=7": a simulated robot that drives a loop through rooms with walls, and
/// what it would have recorded. The same parameters give the same bytes. Payloads are ROS 1.
///
/// Parameters: seconds (10), seed (1), start (2026-01-01, in seconds since 1970), and for each
/// topic its rate in messages a second, 0 for none: odom (50), imu (100), scan (10), image (10),
/// points (5), tf (50), diagnostics (1), battery (1), path (1), log (0.5).
Transport transport();

}  // namespace kitbag::demo
