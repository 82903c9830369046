#pragma once

#include <optional>

#include "cli/options/live_system.h"
#include "kitbag/record.h"

namespace kitbag::cli {

/// What is recorded, and how: the options that `record` and `serve` share.
struct RecordingOptions {
  SystemOptions from;
  Selection select;
  RecordTarget target;
  FeedOptions feed;
  std::optional<SnapshotLimits> snapshot;
  bool starts_paused = false;

  RecordOptions complete() const;
};

/// Prints what a recorder has to tell: a note or a warning.
void print_recorder_report(const Error& report);

}  // namespace kitbag::cli
