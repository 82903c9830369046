#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <optional>

#include "cli/options/inputs.h"
#include "cli/options/jobs.h"
#include "cli/terminal/json.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/signals.h"
#include "cli/terminal/terminal_line.h"
#include "cli/verbs.h"
#include "kitbag/copy_files.h"
#include "kitbag/escape.h"
#include "kitbag/text.h"

// One job alone is the command: its failure is thrown. Of many, each has a line of its own, and
// there is a sum at the end.

namespace kitbag::cli {
namespace {

using namespace std::chrono_literals;

/// What was done, and how far it is, from any thread.
class CopyReport {
 public:
  CopyReport(const CpArguments& arguments, std::size_t jobs, std::uint64_t size_bytes,
             const Context& context)
      : arguments_(arguments),
        jobs_(jobs),
        expected_bytes_(size_bytes),
        context_(context),
        start_(context.clock.steady()),
        next_(start_ + 1s) {}

  void add_bytes(std::uint64_t bytes) {
    bytes_ += bytes;
    std::lock_guard lock(mutex_);
    SteadyTime now = context_.clock.steady();
    if (!line_.is_watched() || now < next_) return;
    next_ = now + 100ms;
    draw(now);
  }

  void add(const CopyJob& job, const Copied& copied, Duration taken) {
    std::lock_guard lock(mutex_);
    ++done_;
    files_ += copied.files;
    skipped_ += copied.skipped_files;
    size_bytes_ += copied.size_bytes;
    line_.erase();
    if (arguments_.as_json) {
      context_.out.write(copied_json(shown_path(job.from), job.to, copied, taken) + "\n");
    } else {
      context_.out.make_status();
      context_.out.line("{} -> {}: {}", shown_path(job.from), job.to, text_of(copied, taken));
    }
    context_.out.flush();
  }

  void add_failure(const std::string& from, const std::string& to, const std::string& text) {
    std::lock_guard lock(mutex_);
    ++failed_;
    line_.erase();
    print_error(text);
    if (!arguments_.as_json) return;
    context_.out.write(failed_json({shown_path(from)}, to, text) + "\n");
    context_.out.flush();
  }

  std::string interruption() const {
    return fmt::format("interrupted; {} of {} copied", done_.load(), counted(jobs_, "file or bag"));
  }

  int finish() {
    line_.erase();
    if (context_.stop.stop_requested()) throw Error(ErrorCode::cancelled, interruption());
    Duration taken = context_.clock.steady() - start_;
    std::string sum = fmt::format("{} copied", counted(files_, "file"));
    if (skipped_ > 0) sum += fmt::format(", {} already there", grouped(skipped_));
    if (failed_ > 0) sum += fmt::format(", {} failed", grouped(failed_));
    sum += fmt::format("; {}, {:.2f} s", format_size(size_bytes_),
                       std::chrono::duration<double>(taken).count());
    if (!arguments_.as_json) {
      context_.out.make_status();
      context_.out.line("{}", sum);
    }
    return failed_ > 0 ? kFailed : kDone;
  }

 private:
  static std::string text_of(const Copied& copied, Duration taken) {
    std::string skipped =
        copied.skipped_files == 0 ? ""
        : copied.files == 0 && copied.skipped_files == 1
            ? "already there, with the same content"
            : counted(copied.skipped_files, "file") + " already there, with the same content";
    if (copied.files == 0) return skipped.empty() ? "nothing to copy" : skipped;
    std::string text = copied.files > 1 ? counted(copied.files, "file") + ", " : "";
    text += fmt::format("{}, {:.2f} s", format_size(copied.size_bytes),
                        std::chrono::duration<double>(taken).count());
    return skipped.empty() ? text : text + "; " + skipped;
  }

  void draw(SteadyTime now) {
    double seconds = std::chrono::duration<double>(now - start_).count();
    double share = expected_bytes_ == 0
                       ? 0
                       : static_cast<double>(bytes_.load()) / static_cast<double>(expected_bytes_);
    // Files that grow while they are copied have more bytes than were planned.
    share = std::min(share, 0.99);
    auto rate = static_cast<std::uint64_t>(static_cast<double>(bytes_.load()) / seconds);
    StatusText text{.share = share,
                    .parts = {{fmt::format("{:2} %", static_cast<int>(share * 100))},
                              {fmt::format("  {}", format_size(bytes_.load())), 1},
                              {fmt::format(", {}/s", format_size(rate)), 2}}};
    if (jobs_ > 1) text.parts.push_back({fmt::format(", {} of {}", done_.load(), jobs_), 3});
    text.parts.push_back({time_left(now - start_, share)});
    line_.draw(text);
  }

  const CpArguments& arguments_;
  std::size_t jobs_;
  std::uint64_t expected_bytes_;
  const Context& context_;
  SteadyTime start_;
  SteadyTime next_;
  std::mutex mutex_;
  TerminalLine line_;
  std::atomic<std::uint64_t> bytes_ = 0;
  std::atomic<std::size_t> done_ = 0;
  std::size_t failed_ = 0;
  std::uint64_t files_ = 0;
  std::uint64_t skipped_ = 0;
  std::uint64_t size_bytes_ = 0;
};

void run_job(const CopyJob& job, const CpArguments& arguments, CopyReport& report,
             const Context& context) {
  SteadyTime start = context.clock.steady();
  CopyOptions options;
  options.may_replace = arguments.may_replace;
  options.reads_again = arguments.reads_again;
  options.stop = context.stop;
  options.on_bytes = [&](std::uint64_t bytes) { report.add_bytes(bytes); };
  options.on_warning = [](const Error& warning) { print_warning(warning.what()); };
  Copied copied = copy(job, options, context.session);
  report.add(job, copied, context.clock.steady() - start);
}

/// What was thrown by `work`, in words; nothing: it has succeeded, or was interrupted.
template <class Work>
std::optional<std::string> failure_of(const Work& work, const std::string& path) {
  try {
    work();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::cancelled) return error_text(error);
  } catch (const std::bad_alloc&) {
    return shown_path(path) + ": out of memory";
  } catch (const std::exception& error) {
    return fmt::format("{}: {}", shown_path(path), error.what());
  }
  return std::nullopt;
}

}  // namespace

int cp(const CpArguments& arguments, const Context& context) {
  std::vector<Error> missing;
  CopyPlanOptions plan{.is_recursive = arguments.is_recursive, .stop = context.stop};
  plan.on_left_out = [](const std::string& path) {
    print_warning(fmt::format("{}: is left out; it is neither a file nor a folder", path));
  };
  if (arguments.sources.size() > 1) {
    plan.on_failure = [&](const Error& error) { missing.push_back(error); };
  }
  std::vector<CopyJob> jobs =
      plan_copies(arguments.sources, arguments.target, plan, context.session);
  std::uint64_t size_bytes = 0;
  for (const CopyJob& job : jobs) size_bytes += job.size_bytes();
  CopyReport report(arguments, jobs.size(), size_bytes, context);
  LastWords sum(context.signals, [&report] { return report.interruption(); });
  bool is_one = jobs.size() == 1 && missing.empty() && !arguments.is_recursive;
  if (is_one) {
    run_job(jobs.front(), arguments, report, context);
    return kDone;
  }
  for (const Error& error : missing) {
    report.add_failure(error.file(), arguments.target, error_text(error));
  }
  run_jobs(jobs.size(), arguments.jobs, [&](std::size_t i) {
    if (context.stop.stop_requested()) return;
    const CopyJob& job = jobs[i];
    auto work = [&] { run_job(job, arguments, report, context); };
    if (auto text = failure_of(work, job.from)) report.add_failure(job.from, job.to, *text);
  });
  return report.finish();
}

}  // namespace kitbag::cli
