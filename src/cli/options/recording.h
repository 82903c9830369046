#pragma once

#include <optional>
#include <vector>

#include "cli/options/live_system.h"
#include "cli/options/payload_stages.h"
#include "kitbag/record.h"

namespace kitbag::cli {

/// What is recorded, and how: the options that `record` and `serve` share.
struct RecordingOptions {
  SystemOptions from;
  Selection select;
  std::vector<ExpectedTopic> expected;
  std::vector<Throttle> throttle;
  PayloadOptions payload;
  RecordTarget target;   ///< without the uploader
  UploadOptions upload;  ///< without a target: nothing is uploaded
  FeedOptions feed;
  std::optional<SnapshotLimits> snapshot;
  bool starts_paused = false;
  bool uses_sim_time = false;

  /// As the library has them. `stages`, made of `payload`, must outlive the recorders. Uploads
  /// begin. Throws Error if they are refused.
  RecordOptions complete(PayloadStages& stages, const Session& session) const;
};

/// Prints what a recorder has to tell: a note or a warning.
void print_recorder_report(const Error& report);

}  // namespace kitbag::cli
