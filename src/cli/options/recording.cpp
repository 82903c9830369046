#include "cli/options/recording.h"

#include "cli/terminal/print.h"

namespace kitbag::cli {

RecordOptions RecordingOptions::complete() const {
  RecordOptions options;
  options.from = from.complete();
  options.select = select;
  options.target = target;
  options.feed = feed;
  options.snapshot = snapshot;
  options.starts_paused = starts_paused;
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
