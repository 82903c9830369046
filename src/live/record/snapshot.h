#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "kitbag/record.h"

namespace kitbag {

/// The last messages of a live system, in memory.
class SnapshotMemory {
 public:
  /// `on_forgotten` gets what is dropped, in order: for lack of room, because it is too old, or by
  /// clear().
  SnapshotMemory(const SnapshotLimits& limits, std::function<void(Batch&&)> on_forgotten)
      : limits_(limits), on_forgotten_(std::move(on_forgotten)) {}

  void add(Batch&& batch);
  /// What it holds, in order.
  const std::deque<Batch>& batches() const { return batches_; }
  /// What is latched is repeated later, whether a snapshot has it or not.
  void clear();
  std::uint64_t held_bytes() const { return bytes_; }

 private:
  static std::uint64_t cost(const Batch& batch);
  bool is_too_much() const;

  SnapshotLimits limits_;
  std::function<void(Batch&&)> on_forgotten_;
  std::deque<Batch> batches_;
  std::uint64_t bytes_ = 0;
};

}  // namespace kitbag
