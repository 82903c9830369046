#include "cli/options/uploading.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "cli/options/recording.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/signals.h"
#include "cli/terminal/terminal_line.h"
#include "kitbag/leave.h"
#include "kitbag/text.h"

namespace kitbag::cli {
namespace {

constexpr int kLeftExit = 2;
constexpr Duration kLook = std::chrono::milliseconds(100);

StatusText status_text(const UploadStatus& status) {
  StatusText text;
  std::uint64_t all = status.uploaded_bytes + status.waiting_bytes;
  if (all > 0) {
    // Of what is known now: files that are added make it smaller again.
    text.share = static_cast<double>(status.uploaded_bytes) / static_cast<double>(all);
  }
  text.parts.push_back({waiting_text(status), 0});
  if (!status.current.empty()) text.parts.push_back({"  " + status.current, 1});
  if (!status.failure.empty()) text.parts.push_back({"  " + status.failure, 2});
  return text;
}

}  // namespace

std::string waiting_text(const UploadStatus& status) {
  std::string text;
  if (status.waiting_files > 0) {
    text = fmt::format("{} to upload ({})", counted(status.waiting_files, "file"),
                       format_size(status.waiting_bytes));
  }
  if (status.failing > Duration::zero()) {
    text += fmt::format("{}uploads have failed for {}", text.empty() ? "" : ", ",
                        format_duration(status.failing));
  }
  return text;
}

std::string uploaded_text(const UploadStatus& status) {
  std::string text = fmt::format("uploaded: {}, {}", counted(status.uploaded_files, "file"),
                                 format_size(status.uploaded_bytes));
  if (status.found_files > 0) {
    text += fmt::format("; already there: {}", counted(status.found_files, "file"));
  }
  return text;
}

std::string left_text(const UploadStatus& status) {
  std::string text =
      fmt::format("not uploaded yet: {} ({}); the next start or kitbag upload goes on with {}",
                  counted(status.waiting_files, "file"), format_size(status.waiting_bytes),
                  status.waiting_files == 1 ? "it" : "them");
  if (!status.failure.empty()) text += "; the last try failed: " + status.failure;
  return text;
}

void leave_uploads(const Uploader& uploader, const Context& context) {
  context.out.flush();
  LastWords last_words(context.signals, [&] { return left_text(uploader.status()); });
  leave(kLeftExit, Leave::always);
  std::abort();  // it does not return
}

bool await_uploads(Uploader& uploader, std::optional<Duration> limit,
                   const std::function<void(const UploadStatus&)>& on_look,
                   const Context& context) {
  LastWords last_words(context.signals, [&] { return left_text(uploader.status()); });
  SteadyTime end = limit ? context.clock.steady() + *limit : kNever;
  // A recorder was stopped by a signal, and its uploads begin now: that signal must not end them
  // too.
  std::stop_token stop = context.stop.stop_requested() ? std::stop_token() : context.stop;
  TerminalLine line;
  auto tell = [&] {
    for (const Error& report : uploader.take_reports()) {
      line.erase();
      print_recorder_report(report);
    }
  };
  while (true) {
    SteadyTime now = context.clock.steady();
    bool is_done = uploader.finish({stop, std::min(end, now + kLook)});
    tell();
    UploadStatus status = uploader.status();
    if (on_look) on_look(status);
    if (is_done) return true;
    if (stop.stop_requested() || context.clock.steady() >= end) return false;
    line.draw(status_text(status));
  }
}

}  // namespace kitbag::cli
