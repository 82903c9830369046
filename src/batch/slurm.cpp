#include "batch/slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <utility>

#include "base/lines.h"
#include "base/path.h"
#include "base/summed_line.h"
#include "io/local/child.h"
#include "kitbag/error.h"
#include "kitbag/leave.h"

// Nothing of ours runs between the program and Slurm: an array job has a script of one line, which
// starts kitbag with the number of its task. That process takes its bags from the file
// runs/RUN/NUMBER of the job, and writes what became of them to journals named after it. So a task
// that Slurm starts again on another node goes on where it was, and who waits reads the journals.
//
//   who waits   writes runs/RUN/NUMBER, calls sbatch, notes the job's number, looks every 500 ms
//   a task      reads runs/RUN/NUMBER, does the bags, writes records/RUN.NUMBER.*
//
// They share nothing but files. A task that fails for a reason that is not a bag's writes a record
// of state "waiting" with the reason. The waiting process then cancels the whole array job, because
// the other tasks would fail in the same way.

namespace kitbag::batch {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kFile = "slurm";
constexpr std::uint64_t kMostTasks = 200;
constexpr Duration kLookPeriod = 500ms;
/// Between two questions to squeue, in periods.
constexpr int kAskEvery = 4;
/// Until the files of another machine are seen here, after a job has ended.
constexpr Duration kGrace = 2s;
/// Until the tasks of a job that was cancelled have ended: Slurm asks them first, and then kills.
constexpr Duration kCancelPatience = 60s;

/// "4711" of "Submitted batch job 4711 on cluster x".
std::string last_number(const std::string& text) {
  constexpr std::string_view kDigits = "0123456789";
  std::size_t job = text.find("job ");
  std::size_t begin = text.find_first_of(kDigits, job == std::string::npos ? 0 : job);
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_first_not_of(kDigits, begin) - begin);
}

enum class Activity { active, ended, unknown };

/// What squeue says of an array job.
Activity activity_of(const std::string& number) {
  Finished asked = run_child({"squeue", "-h", "-j", number, "-o", "%T"}, {});
  if (asked.exit_code == 0) {
    return trimmed(asked.out).empty() ? Activity::ended : Activity::active;
  }
  // Slurm forgets a job some minutes after its end. Every other error leaves open what the job
  // does.
  bool is_forgotten = asked.err.find("Invalid job id") != std::string::npos;
  return is_forgotten ? Activity::ended : Activity::unknown;
}

struct ArrayJob {
  std::string number;
  std::string run;
};

std::optional<ArrayJob> last_array(const JobFolder& folder) {
  std::string text = folder.text_of(kFile);
  if (text.empty()) return std::nullopt;
  auto fields = fields_of_summed_line(trimmed(text));
  if (!fields || fields->size() != 2) return std::nullopt;
  return ArrayJob{(*fields)[0], (*fields)[1]};
}

/// The array job that is at work, or may be.
/// Where squeue does not answer, it counts as being at work: a second array job would do everything
/// twice.
std::optional<ArrayJob> array_at_work(const JobFolder& folder) {
  auto array = last_array(folder);
  if (!array || activity_of(array->number) == Activity::ended) return std::nullopt;
  return array;
}

/// When the run with that name (run_name()) began.
std::int64_t time_of(std::string_view run) {
  std::int64_t time_ns = 0;
  std::from_chars(run.data(), run.data() + std::min(run.find('-'), run.size()), time_ns);
  return time_ns;
}

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

/// "COMPLETED" of "... JobState=COMPLETED Reason=..."; empty: it is not there.
std::string value_of(std::string_view line, std::string_view name) {
  std::string start = fmt::format(" {}=", name);
  std::size_t at = line.find(start);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + start.size());
  return std::string(line.substr(0, line.find(' ')));
}

/// How the tasks of an array job have ended, as long as Slurm remembers.
std::map<std::uint64_t, std::string> ends_of(const std::string& number) {
  std::map<std::uint64_t, std::string> ends;
  Finished asked = run_child({"scontrol", "-o", "show", "job", number}, {});
  for (std::string_view line : lines_of(asked.out)) {
    for (std::uint64_t task : array_numbers(value_of(line, "ArrayTaskId"))) {
      ends[task] = value_of(line, "JobState");
    }
  }
  return ends;
}

/// The most tasks of an array job.
std::uint64_t most_array_tasks() {
  constexpr std::uint64_t kDefault = 1001;
  Finished asked = run_child({"scontrol", "show", "config"}, {});
  for (std::string_view line : lines_of(asked.out)) {
    if (!line.starts_with("MaxArraySize")) continue;
    std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    std::string_view value = trimmed(line.substr(equals + 1));
    std::uint64_t number = 0;
    std::from_chars(value.data(), value.data() + value.size(), number);
    if (number > 0) return number;
  }
  return kDefault;
}

}  // namespace

std::vector<std::uint64_t> array_numbers(std::string_view text) {
  // A range is a few characters, but each of its numbers takes memory.
  constexpr std::uint64_t kMost = 10'000'000;
  std::vector<std::uint64_t> numbers;
  text = text.substr(0, text.find('%'));
  while (!text.empty()) {
    std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    std::uint64_t first = 0;
    const char* end = part.data() + part.size();
    auto [rest, error] = std::from_chars(part.data(), end, first);
    if (error != std::errc()) return {};
    std::uint64_t last = first;
    if (rest != end) {
      if (*rest != '-') return {};
      auto [behind, failure] = std::from_chars(rest + 1, end, last);
      if (failure != std::errc() || behind != end) return {};
    }
    if (last > kMost || last < first) return {};
    for (std::uint64_t number = first; number <= last; ++number) numbers.push_back(number);
  }
  return numbers;
}

void require_no_array(const JobFolder& folder) {
  std::optional<ArrayJob> array;
  try {
    array = array_at_work(folder);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::not_found) return;  // no Slurm here
    throw;
  }
  if (!array) return;
  throw Error(ErrorCode::busy,
              fmt::format("the array job {0} of Slurm is at work on this job; wait for it, or "
                          "end it with scancel {0}",
                          array->number),
              folder.path());
}

SlurmRun::SlurmRun(const std::vector<Task>& tasks, const BatchRequest& request,
                   const JobFolder& folder, Progress& progress, const BatchRunOptions& options,
                   const BatchSlurmOptions& slurm, const Session& session)
    : tasks_(tasks),
      request_(request),
      folder_(folder),
      progress_(progress),
      options_(options),
      slurm_(slurm),
      session_(session) {
  for (std::size_t i = 0; i < tasks.size(); ++i) places_by_target_[tasks[i].target] = i;
}

void SlurmRun::run(const std::vector<std::size_t>& places, Records& records) {
  if (auto array = array_at_work(folder_)) {
    number_ = array->number;
    run_ = array->run;
    std::string runs = folder_.path_of("runs/" + run_);
    for (const std::string& name : folder_.files().list(runs)) {
      use_lines(folder_.text_of(fmt::format("runs/{}/{}", run_, name)), [&](std::string_view line) {
        auto task = task_of(line);
        if (task) array_tasks_[task->target] = array_numbers(name).at(0);
      });
    }
    // What became of some of them is known already; the rest is waited for.
    for (const BatchTask& task : progress_.shown()) {
      const Record* record = records.find(task.target);
      if (record && record->time_ns >= time_of(run_)) array_tasks_.erase(task.target);
    }
    if (slurm_.on_submitted) slurm_.on_submitted(number_, 0);
  } else if (places.empty()) {
    return;
  } else {
    submit(places);
  }
  watch(records);
  folder_.put(kFile, "");  // Slurm may need a moment to see that it has ended
}

std::uint64_t SlurmRun::bags_per_task(std::size_t bags) const {
  std::uint64_t tasks = kMostTasks;
  if (slurm_.bags_per_task > 0) tasks = (bags - 1) / slurm_.bags_per_task + 1;
  tasks = std::min(tasks, most_array_tasks());
  return (bags - 1) / tasks + 1;
}

std::string SlurmRun::script() const {
  std::string command;
  for (const std::string& word : slurm_.task) command += shell_quoted(word) + " ";
  // A task that Slurm starts again adds to its log, so the reason for that stays in it. exec, so
  // that signals of Slurm reach kitbag and not a shell.
  return fmt::format(R"(#!/bin/sh
#SBATCH --cpus-per-task=1
#SBATCH --mem=2G
#SBATCH --requeue
#SBATCH --open-mode=append
exec {}{} {} "$SLURM_ARRAY_TASK_ID"
)",
                     command, shell_quoted(folder_.path()), shell_quoted(run_));
}

void SlurmRun::submit(const std::vector<std::size_t>& places) {
  // The files of all tasks come before sbatch: a task may begin before sbatch has answered.
  run_ = run_name(session_);
  std::uint64_t bags = bags_per_task(places.size());
  std::uint64_t count = (places.size() - 1) / bags + 1;
  for (std::uint64_t number = 0; number < count; ++number) {
    throw_if_stopped({options_.stop});
    std::string text;
    for (std::size_t i = number * bags;
         i < std::min<std::size_t>((number + 1) * bags, places.size()); ++i) {
      const Task& task = tasks_[places[i]];
      text += line_of(task);
      array_tasks_[task.target] = number;
    }
    folder_.put(fmt::format("runs/{}/{}", run_, number), text);
  }
  std::string most =
      options_.processes > 0 ? fmt::format("%{}", options_.processes) : std::string();
  std::vector<std::string> command{"sbatch", "-J", "kitbag-" + request_.verb, "-a",
                                   fmt::format("0-{}{}", count - 1, most)};
  command.insert(command.end(), slurm_.options.begin(), slurm_.options.end());
  NoLeave is_noted;  // or the next run would submit it again
  Finished done = run_child(command, as_bytes(script()));
  if (done.exit_code != 0) {
    throw Error(ErrorCode::io, fmt::format("sbatch has refused the job: {}", trimmed(done.err)));
  }
  number_ = last_number(done.out);
  if (number_.empty()) {
    throw Error(ErrorCode::io, fmt::format("sbatch has not said the job: {}", trimmed(done.out)));
  }
  folder_.put(kFile, summed_line({number_, run_}));
  if (slurm_.on_submitted) slurm_.on_submitted(number_, count);
}

/// Whether all tasks of the run are done, or have failed.
bool SlurmRun::read(Records& records) {
  std::optional<std::string> end;
  records.read(folder_, run_, [&](const Record& record) {
    if (record.state == BatchState::waiting && !end) end = record.reason;
    auto place = places_by_target_.find(record.task.target);
    if (place == places_by_target_.end() || record.state == BatchState::waiting) return;
    array_tasks_.erase(record.task.target);
    progress_.put(place->second, record, false, options_);
  });
  if (end) cancel(*end);
  return array_tasks_.empty();
}

void SlurmRun::cancel(const std::string& reason) const {
  // Its exit code says nothing that the loop below does not find out.
  static_cast<void>(run_child({"scancel", number_}, {}));
  // Until its tasks have ended, so that the same command can be started at once.
  const ClockPtr& clock = session_.clock();
  for (SteadyTime until = clock->steady() + kCancelPatience;
       clock->steady() < until && !options_.stop.stop_requested();) {
    if (activity_of(number_) == Activity::ended) {
      folder_.put(kFile, "");
      break;
    }
    clock->sleep({options_.stop, clock->steady() + kLookPeriod});
  }
  throw Error(ErrorCode::io, fmt::format("the array job {} was cancelled: {}", number_, reason));
}

void SlurmRun::watch(Records& records) {
  const ClockPtr& clock = session_.clock();
  for (int round = 1; !read(records); ++round) {
    clock->sleep({options_.stop, clock->steady() + kLookPeriod});
    if (options_.stop.stop_requested()) {
      throw Error(ErrorCode::cancelled,
                  fmt::format("interrupted; the array job {0} goes on: start the same command to "
                              "wait for it, or end it with scancel {0}",
                              number_));
    }
    if (round % kAskEvery != 0 || activity_of(number_) != Activity::ended) continue;
    clock->sleep({options_.stop, clock->steady() + kGrace});
    if (!read(records)) put_off_rest();
    return;
  }
}

void SlurmRun::put_off_rest() const {
  std::map<std::uint64_t, std::string> ends = ends_of(number_);
  for (const auto& [target, number] : array_tasks_) {
    auto place = places_by_target_.find(target);
    if (place == places_by_target_.end()) continue;
    auto end = ends.find(number);
    progress_.put_off(place->second,
                      fmt::format("its task {}_{} of Slurm ended before it{}", number_, number,
                                  end == ends.end() ? "" : fmt::format(": {}", end->second)));
  }
}

}  // namespace kitbag::batch

namespace kitbag {

using namespace batch;

BatchCounts run_batch_task(const std::string& job, const std::string& run, std::uint64_t number,
                           const BatchRunOptions& options, const Session& session) {
  JobFolder folder(job, session);
  BatchRequest request = folder.request();
  std::vector<Task> tasks;
  use_lines(folder.text_of(fmt::format("runs/{}/{}", run, number)), [&](std::string_view line) {
    if (auto task = task_of(line)) tasks.push_back(std::move(*task));
  });
  std::string name = fmt::format("{}.{}.", run, number);
  Records records;
  records.read(folder, name);  // those of the same task, which Slurm has started again
  Progress progress(tasks, records, session, options.stop);
  Journal journal(folder, name + run_name(session), session.clock());
  try {
    run_tasks(tasks, progress.in_state(BatchState::waiting), request, folder, journal, progress,
              options, session);
  } catch (const Error& error) {
    std::vector<std::size_t> waiting = progress.in_state(BatchState::waiting);
    if (error.code() == ErrorCode::cancelled || waiting.empty()) throw;
    // Who waits for the array job ends it.
    journal.add({.task = tasks[waiting.front()],
                 .time_ns = to_ns(session.clock()->wall()),
                 .reason = error.what()});
    journal.flush();
    throw;
  }
  return progress.counts();
}

}  // namespace kitbag
