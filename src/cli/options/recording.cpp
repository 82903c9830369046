#include "cli/options/recording.h"

#include <memory>
#include <utility>

#include "cli/terminal/print.h"

namespace kitbag::cli {

RecordOptions RecordingOptions::complete(PayloadStages& stages, const Session& session) const {
  RecordOptions options;
  options.from = from.complete();
  options.select = select;
  bool names_any =
      !select.topics.empty() || !select.topic_expressions.empty() || !select.types.empty();
  if (uses_sim_time && names_any) options.select.topics.emplace_back("/clock");
  options.expected = expected;
  options.throttle = throttle;
  options.target = target;
  if (!upload.target.empty()) {
    options.target.uploader = std::make_shared<Uploader>(upload, session);
  }
  options.feed = feed;
  options.snapshot = snapshot;
  options.starts_paused = starts_paused;
  options.uses_sim_time = uses_sim_time;
  options.stages = [&stages](std::unique_ptr<Source> source) {
    return stages.add_to(std::move(source));
  };
  options.dropped_by_stages = [&stages] { return stages.videos().dropped; };
  return options;
}

void print_recorder_report(const Error& report) {
  if (report.code() == ErrorCode::remark) {
    print_note(report.what());
  } else {
    print_warning(report.what());
  }
}

}  // namespace kitbag::cli
