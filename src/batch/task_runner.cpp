#include "batch/task_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <random>
#include <utility>

#include "base/lines.h"
#include "base/path.h"
#include "batch/content.h"
#include "io/copy_file.h"
#include "io/local/temporary_file.h"
#include "kitbag/copy_files.h"
#include "kitbag/escape.h"
#include "kitbag/paths.h"
#include "kitbag/system_error.h"

// If nothing is at the target, the command writes it there: it appears whole or not at all. If
// something is there that no record knows, it may be what a run has left that was killed before it
// could note it, or a part of that, or something else. So the command writes to another place, and
// file by file is compared: what is equal stays, what is missing is copied, and what is different
// is an error. In this way nothing is ever replaced, and no target is made twice.
//
// A target of text needs no other place: what was printed is at hand, and is compared with the
// target as it is.

namespace kitbag::batch {
namespace {

constexpr std::size_t kMostReasonBytes = 500;

/// Removes what it has made.
class Made {
 public:
  explicit Made(const JobFolder& folder) {
    std::string base = temporary_folder() + "/kitbag-batch";
    if (folder.files().is_local()) {  // where the next run finds what a killed one has left
      base = folder.path_of("made");
      make_folders(base, folder.files());
      base += "/x";
    }
    std::random_device random;
    path_ = fmt::format("{}-{:08x}{:08x}", base, random(), random());
    std::error_code error;
    if (!std::filesystem::create_directory(path_, error) || error) {
      throw system_error("create this folder", error ? error.value() : EEXIST, path_);
    }
  }
  ~Made() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The files at `path`, by their names below it; "" for a file itself.
std::map<std::string, std::uint64_t> files_at(const std::string& path, const Session& session) {
  std::map<std::string, std::uint64_t> found;
  std::string place = without_slash(path);
  FileSystemPtr files = session.file_system(place);
  auto there = files->status(place);
  if (there && !there->is_folder) found[""] = there->size_bytes;
  if (!there || !there->is_folder) return found;
  files->visit_below(
      place, [&](const FolderEntry& entry) { found[entry.name] = entry.status.size_bytes; });
  return found;
}

std::string path_below(const std::string& path, const std::string& name) {
  return name.empty() ? without_slash(path) : path_in(without_slash(path), name);
}

/// "x: is damaged; and 3 more lines" of what a command has said.
std::string reason_of(const std::string& said) {
  std::string first;
  std::size_t more = 0;
  for (std::string_view line : lines_of(said)) {
    for (std::string_view start : {"kitbag: ", "warning: "}) {
      if (line.starts_with(start)) line.remove_prefix(start.size());
    }
    if (line.empty()) continue;
    first.empty() ? static_cast<void>(first = line) : static_cast<void>(++more);
  }
  if (first.size() > kMostReasonBytes) first.resize(kMostReasonBytes);
  return more == 0 ? first : fmt::format("{} (and {} more)", first, more);
}

/// Whether an errno is of a lack that the next bag meets, too.
/// EACCES and ENOENT are not among them, since they are about one path.
bool is_of_machine(int number) {
  constexpr std::array kLacks{ENOSPC, EDQUOT, EROFS, EMFILE, ENFILE, ENOMEM};
  return std::ranges::find(kLacks, number) != kLacks.end();
}

constexpr const char* kOtherContent = "the target is there with another content; it is kept";

}  // namespace

TaskRunner::TaskRunner(const BatchRequest& request, const JobFolder& folder,
                       const BatchRunOptions& options, const Session& session)
    : request_(request),
      folder_(folder),
      options_(options),
      session_(session),
      kind_(target_kind(request.verb)),
      worker_(options.worker(request)) {}

Record TaskRunner::record_of(const Task& task, BatchState state, std::string reason) const {
  return {.task = task,
          .state = state,
          .time_ns = to_ns(session_.clock()->wall()),
          .reason = std::move(reason)};
}

Attempt TaskRunner::run(const Task& task, const std::stop_token& stop) {
  try {
    if (kind_ == TargetKind::text) return print(task, stop);
    bool is_new = files_at(task.target, session_).empty();
    return is_new ? make(task, stop) : make_and_compare(task, stop);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled) throw;
    return failed(task, {.error = error.code(), .number = errno_of(error), .text = error.what()});
  }
}

Outcome TaskRunner::run_command(const Task& task, const std::string& target,
                                const std::stop_token& stop) {
  return worker_.run(options_.command(request_, task.source, target), stop);
}

Attempt TaskRunner::make(const Task& task, const std::stop_token& stop) {
  make_folders(std::string(parent_folder(without_slash(task.target))),
               *session_.file_system(task.target));
  Outcome outcome = run_command(task, task.target, stop);
  // Another one was faster, and may have made the same.
  if (outcome.error == ErrorCode::exists) return make_and_compare(task, stop);
  return finished(task, outcome, false);
}

Attempt TaskRunner::make_and_compare(const Task& task, const std::stop_token& stop) {
  Made made(folder_);
  std::string path = path_in(made.path(), file_name(without_slash(task.target)));
  if (task.target.ends_with('/')) path += '/';
  Outcome outcome = run_command(task, path, stop);
  if (outcome.error || outcome.exit_code > 1) return finished(task, outcome, false);
  auto files = files_at(path, session_);
  CopyJob job{path, task.target, {}};
  for (const auto& [name, size] : files_at(task.target, session_)) {
    if (files.contains(name)) continue;
    return {record_of(
        task, BatchState::failed,
        fmt::format("the target has another file: {}", name.empty() ? task.target : name))};
  }
  for (const auto& [name, size] : files) {
    job.files.push_back({path_below(path, name), path_below(task.target, name), size});
  }
  auto is_no_metadata = [](const FileToCopy& file) {
    return file_name(file.from) != "metadata.yaml";  // a directory that has one is complete
  };
  std::stable_partition(job.files.begin(), job.files.end(), is_no_metadata);
  try {
    Copied copied = copy(job, {.may_replace = options_.may_replace, .stop = stop}, session_);
    return finished(task, outcome, copied.files == 0);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::exists) throw;
    return {record_of(task, BatchState::failed, kOtherContent)};
  }
}

Attempt TaskRunner::print(const Task& task, const std::stop_token& stop) {
  Outcome outcome = run_command(task, "", stop);
  if (outcome.error || outcome.exit_code > 1) return finished(task, outcome, false);
  auto printed = worker_.printed();
  FileSystemPtr files = session_.file_system(task.target);
  if (files->has_content(task.target, *printed)) return finished(task, outcome, true);
  if (files->status(task.target) && !options_.may_replace) {
    return {record_of(task, BatchState::failed, kOtherContent)};
  }
  make_folders(std::string(parent_folder(task.target)), *files);
  auto file = files->create(task.target, {.may_replace = options_.may_replace});
  copy_file(*printed, *file, task.target, [&](std::size_t) { throw_if_stopped({stop}); });
  file->commit();
  return finished(task, outcome, false);
}

Attempt TaskRunner::finished(const Task& task, const Outcome& outcome, bool was_there) const {
  if (outcome.error || outcome.has_crashed || outcome.exit_code > 1) return failed(task, outcome);
  Record record = record_of(task, BatchState::done);
  if (outcome.exit_code == 1) {
    record.state = BatchState::damaged;
    record.reason = reason_of(outcome.said);
    if (record.reason.empty()) record.reason = "is not sound; the target says why";
  }
  record.target_state = state_of(task.target, session_);
  if (record.target_state.empty() && kind_ != TargetKind::folder) {
    return {record_of(task, BatchState::failed, "nothing was written")};
  }
  if (!record.target_state.empty()) record.target_sum = sum_of(task.target, session_);
  return {std::move(record), was_there};
}

Attempt TaskRunner::failed(const Task& task, const Outcome& outcome) const {
  std::string reason = outcome.text.empty() ? reason_of(outcome.said) : outcome.text;
  Attempt attempt{record_of(task, BatchState::failed, reason)};
  if (outcome.error != ErrorCode::io) return attempt;
  require_sound_surroundings(task, outcome);
  // A bag that cannot be read is at fault itself, whatever the error was.
  attempt.is_suspect = is_source_readable(task);
  return attempt;
}

bool TaskRunner::is_source_readable(const Task& task) const {
  try {
    FileSystemPtr files = session_.file_system(task.source);
    auto there = files->status(task.source);
    if (!there || there->is_folder) return there.has_value();
    std::array<std::byte, 1> first{};
    static_cast<void>(files->open(task.source)->read(0, first));
    return true;
  } catch (const Error&) {
    return false;
  }
}

void TaskRunner::require_sound_surroundings(const Task& task, const Outcome& outcome) const {
  if (is_of_machine(outcome.number)) {
    throw SystemError(Error(ErrorCode::io, outcome.text), outcome.number);
  }
  for (const std::string& path : {std::string(parent_folder(task.source)), request_.to}) {
    FileSystemPtr files = session_.file_system(path);
    // One request says whether a store is there at all.
    if (!files->is_local() && files->can_list()) static_cast<void>(files->status(path));
  }
}

}  // namespace kitbag::batch
