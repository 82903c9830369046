#pragma once

#include <optional>

#include "kitbag/bag.h"

namespace kitbag {

/// When a writer flushes its buffer, and when it syncs. It reads no clock: the first tick() after a
/// note() starts the time.
class WritePace {
 public:
  explicit WritePace(const WriteOptions& options)
      : duration_(options.chunk_duration), sync_(options.sync) {}

  /// The writer was given something.
  void note() { is_held_ = is_unsynced_ = true; }
  /// As Sink::due().
  SteadyTime due() const;

  struct Work {
    bool flush = false;  ///< buffered data is to be passed on
    bool sync = false;   ///< and synced to the disk
  };
  /// Returns what is due at `now`, and counts it as done.
  Work tick(SteadyTime now);
  bool syncs_chunks() const { return sync_.when == SyncPolicy::When::chunk; }

 private:
  bool has_duration() const { return duration_ > Duration::zero(); }
  bool has_interval() const { return sync_.when == SyncPolicy::When::interval; }

  Duration duration_;
  SyncPolicy sync_;
  bool is_held_ = false;
  bool is_unsynced_ = false;
  std::optional<SteadyTime> flush_at_;
  std::optional<SteadyTime> sync_at_;
};

}  // namespace kitbag
