#include "kitbag/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "cli/options/batch_commands.h"
#include "cli/options/open_catalog.h"
#include "cli/terminal/json.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/signals.h"
#include "cli/terminal/terminal_line.h"
#include "cli/verbs.h"
#include "kitbag/catalog.h"
#include "kitbag/catalog_jobs.h"
#include "kitbag/escape.h"
#include "kitbag/leave.h"

// There may be thousands of bags, so finished ones are only counted, in a line on the terminal.
// Bags that failed or are damaged get a line each, also those of earlier runs. A sum follows at the
// end.
//
// Many threads print, under one lock. The catalog is updated under the lock of the batch, which
// calls on_task() for one bag at a time.

namespace kitbag::cli {
namespace {

std::string sum_of(const BatchCounts& counts, Duration taken) {
  std::string sum = fmt::format("{}: {} done", counted(counts.all, "bag"), grouped(counts.done));
  if (counts.damaged > 0) sum += fmt::format(", {} damaged", grouped(counts.damaged));
  if (counts.failed > 0) sum += fmt::format(", {} failed", grouped(counts.failed));
  if (counts.waiting() > 0) sum += fmt::format(", {} not done yet", grouped(counts.waiting()));
  if (counts.before > 0) sum += fmt::format("; {} of them before", grouped(counts.before));
  return sum + fmt::format(", {:.2f} s", std::chrono::duration<double>(taken).count());
}

int code_of(const BatchCounts& counts) {
  return counts.done == counts.all ? kDone : kNotSo;
}

/// What is said of the bags, from any thread.
class BatchReport {
 public:
  BatchReport(bool as_json, const Context& context)
      : as_json_(as_json), context_(context), start_(context.clock.steady()) {}

  void add(const BatchTask& task, const BatchCounts& counts) {
    std::lock_guard lock(mutex_);
    // The share is of this run. With the bags of earlier runs in it, the time that is left would be
    // guessed from work that took none.
    if (!begin_) begin_ = counts.waiting() + 1;
    told_.insert(task.source);
    tell(task);
    draw(counts);
  }

  /// Those of earlier runs too, and of these why they are not done yet.
  void add_others(const std::vector<BatchTask>& tasks) {
    line_.erase();
    for (const BatchTask& task : tasks) {
      if (!task.reason.empty() && !told_.contains(task.source)) tell(task);
    }
  }

  int finish(const BatchCounts& counts) {
    line_.erase();
    if (!as_json_) {
      context_.out.make_status();
      context_.out.line("{}", sum_of(counts, context_.clock.steady() - start_));
      context_.out.flush();
      if (counts.failed > 0) print_note("use --retry to try the failed bags again");
    }
    return code_of(counts);
  }

 private:
  void tell(const BatchTask& task) {
    line_.erase();
    if (task.state == BatchState::damaged) {
      print_warning(batch_task_text(task));
    } else if (task.state != BatchState::done) {
      print_error(batch_task_text(task));
    }
    if (!as_json_) return;
    context_.out.write(batch_task_json(task) + "\n");
    context_.out.flush();
  }

  void draw(const BatchCounts& counts) {
    if (!line_.is_watched()) return;
    std::uint64_t all = std::max<std::uint64_t>(*begin_, 1);
    std::uint64_t done = all - std::min(all, counts.waiting());
    double share = static_cast<double>(done) / static_cast<double>(all);
    StatusText text{.share = share,
                    .parts = {{fmt::format("{} of {}", grouped(done), counted(all, "bag"))}}};
    if (counts.failed > 0) {
      text.parts.push_back({fmt::format(", {} failed", grouped(counts.failed)), 1});
    }
    text.parts.push_back({time_left(context_.clock.steady() - start_, share)});
    line_.draw(text);
  }

  bool as_json_;
  const Context& context_;
  SteadyTime start_;
  std::mutex mutex_;
  TerminalLine line_;
  std::set<std::string> told_;
  std::optional<std::uint64_t> begin_;  ///< bags that waited at first
};

/// Tells a catalog how a job stands, once a second. That it cannot be told later on is a warning:
/// the work itself needs no catalog.
class CatalogNotes {
 public:
  CatalogNotes(const std::string& address, const BatchJob& job, const Context& context)
      : context_(context),
        catalog_(open_catalog(address, context)),
        jobs_(address, context.session),
        next_(context.clock.steady()) {
    const BatchRequest& request = job.request();
    noted_.job = request.job;
    noted_.verb = request.verb;
    noted_.target = request.to;
    noted_.began = context.clock.wall();
    put(job.counts(), job.tasks(), true);
  }

  void add(const BatchTask& task, const BatchCounts& counts) {
    waiting_.push_back(task);
    if (context_.clock.steady() < next_) return;
    try {
      put(counts, waiting_, true);
      waiting_.clear();
    } catch (const Error& error) {
      if (!has_warned_) print_warning(fmt::format("the catalog is not told: {}", error.what()));
      has_warned_ = true;
    }
    next_ = context_.clock.steady() + std::chrono::seconds(1);
  }

  /// Takes the targets that are bags into the catalog.
  void finish(const BatchJob& job) {
    put(job.counts(), job.tasks(), false);
    const std::string& verb = job.request().verb;
    // Targets of other verbs are no bags.
    if (verb != "convert" && verb != "repair") return;
    CatalogAddOptions options;
    options.read.on_problem = [](const Error&) {};  // the line of the bag has said it
    options.stop = context_.stop;
    for (const BatchTask& task : job.tasks()) {
      bool is_made = task.state == BatchState::done || task.state == BatchState::damaged;
      if (is_made) catalog_.add(task.target, options);
    }
  }

 private:
  void put(const BatchCounts& counts, const std::vector<BatchTask>& bags, bool is_at_work) {
    noted_.counts = counts;
    noted_.changed = context_.clock.wall();
    noted_.is_at_work = is_at_work;
    jobs_.put(noted_, bags);
  }

  const Context& context_;
  Catalog catalog_;
  CatalogJobs jobs_;
  SteadyTime next_;
  CatalogJob noted_;
  std::vector<BatchTask> waiting_;
  bool has_warned_ = false;
};

int print_plan(const BatchJob& job, const BatchArguments& arguments, const Context& context) {
  for (const BatchTask& task : job.tasks()) {
    if (arguments.as_json) {
      context.out.write(batch_task_json(task) + "\n");
    } else {
      context.out.line("{} -> {}: {}{}", shown_path(task.source), task.target,
                       to_string(task.state),
                       task.reason.empty() ? "" : fmt::format(" ({})", task.reason));
    }
  }
  return kDone;
}

BatchRunOptions run_options(bool may_replace, BatchReport& report, const Context& context) {
  BatchRunOptions options;
  options.worker = batch_worker;
  options.command = batch_command;
  options.may_replace = may_replace;
  options.stop = context.stop;
  options.on_task = [&report](const BatchTask& task, const BatchCounts& counts) {
    report.add(task, counts);
  };
  options.on_warning = [](const Error& warning) { print_warning(warning.what()); };
  return options;
}

void run_here(BatchJob& job, const BatchRunOptions& options) {
  NoLeave processes_end;  // each gives up what it does
  try {
    job.run(options);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::cancelled) throw;
    BatchCounts counts = job.counts();
    throw Error(ErrorCode::cancelled,
                fmt::format("interrupted; {} of {} are left to the next run",
                            grouped(counts.waiting()), counted(counts.all, "bag")));
  }
}

void run_by_slurm(BatchJob& job, const BatchArguments& arguments, const BatchRunOptions& options,
                  const Context& context) {
  // No NoLeave here: waiting holds nothing that could be lost, so Ctrl-C may leave at any moment.
  // What the person must know then, whether an array job goes on, depends on the moment.
  std::string last_text = "interrupted; nothing was submitted";
  LastWords words(context.signals, [&last_text] { return last_text; });
  BatchSlurmOptions slurm = arguments.slurm;
  slurm.task = {program_path(), std::string(kBatchTaskOption),
                arguments.may_replace ? "replace" : "keep"};
  slurm.on_submitted = [&](const std::string& number, std::uint64_t tasks) {
    print_note(tasks > 0 ? fmt::format("array job {} of Slurm: {}", number, counted(tasks, "task"))
                         : fmt::format("array job {} of Slurm is at work", number));
    last_text = fmt::format(
        "interrupted; the array job {0} goes on: start the same command to wait for it, or end it "
        "with scancel {0}",
        number);
  };
  job.run_by_slurm(options, slurm);
}

}  // namespace

int batch(const BatchArguments& arguments, const Context& context) {
  BatchJob job(arguments.request, context.session, context.stop);
  if (arguments.is_plan) return print_plan(job, arguments, context);
  BatchReport report(arguments.as_json, context);
  BatchRunOptions options = run_options(arguments.may_replace, report, context);
  options.retries = arguments.retries;
  std::optional<CatalogNotes> notes;
  if (!arguments.catalog.empty()) {
    notes.emplace(arguments.catalog, job, context);
    options.on_task = [&report, &notes](const BatchTask& task, const BatchCounts& counts) {
      report.add(task, counts);
      notes->add(task, counts);
    };
  }
  if (arguments.by_slurm) {
    options.processes = arguments.processes.value_or(0);
    run_by_slurm(job, arguments, options, context);
  } else {
    options.processes =
        arguments.processes.value_or(std::max(1U, std::thread::hardware_concurrency()));
    run_here(job, options);
  }
  report.add_others(job.tasks());
  if (notes) notes->finish(job);
  return report.finish(job.counts());
}

int batch_task(const BatchTaskArguments& arguments, const Context& context) {
  NoLeave process_ends;
  BatchReport report(false, context);
  BatchRunOptions options = run_options(arguments.may_replace, report, context);
  return report.finish(
      run_batch_task(arguments.job, arguments.run, arguments.number, options, context.session));
}

}  // namespace kitbag::cli
