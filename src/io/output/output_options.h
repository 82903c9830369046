#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "kitbag/error.h"
#include "kitbag/file.h"
#include "kitbag/time.h"

namespace kitbag {

/// How direct output works; other values than these are for tests.
struct DirectLimits {
  std::size_t block_bytes = 1 << 20;  ///< a multiple of the file system's alignment, at least two
  std::size_t blocks = 8;             ///< one is being filled, the others are on their way
  std::uint64_t most_ahead_bytes = 256 << 20;  ///< of the file, allocated before they are written
  bool may_use_ring = true;                    ///< io_uring
  bool may_use_thread = true;                  ///< pwrite(2) on a thread of its own
};

/// When Io::automatic goes on directly; other values than these are for tests.
struct AutomaticLimits {
  std::uint64_t stretch_bytes = 128 << 20;  ///< each stretch of the file is measured
  double bytes_per_s = 50e6;                ///< faster than this on average: direct from here on
  std::function<SteadyTime()> now = std::chrono::steady_clock::now;
};

/// How a file is written.
struct OutputOptions {
  Io io = Io::automatic;
  bool is_visible = false;  ///< under its own name from the start: create_file()
  bool may_replace = true;  ///< a regular file that is there already: create_file()
  /// Called for what else was found and done: leftovers removed, a file system without locks.
  OnWarning on_warning = {};
  DirectLimits direct = {};
  AutomaticLimits automatic = {};
};

}  // namespace kitbag
