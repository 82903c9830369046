#include "batch/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "base/path.h"
#include "base/sha256.h"
#include "batch/content.h"
#include "batch/job_folder.h"
#include "batch/verbs.h"
#include "kitbag/bag_folder.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/paths.h"
#include "model/scheme.h"

// A bag's target has the path that the bag has below the folder that was searched: that of a glob
// before its first `*`, `?` or `[`. So bags of the same name in different folders have different
// targets. The target of a file that was named itself has its name. What is below the targets' own
// folder is no source: these are the targets of an earlier run. A file that was named itself is one
// all the same.
//
// A request is completed before it gets its folder: with absolute paths, the same command is the
// same job from every folder, and the tasks of Slurm, which run elsewhere, find its bags.

namespace kitbag::batch {
namespace {

/// Of a sum, in the name of a job's folder. JobFolder::create() finds two requests that share one.
constexpr std::size_t kJobDigits = 8;

[[noreturn]] void refuse(const std::string& text, const std::string& file = {}) {
  throw Error(ErrorCode::invalid, text, file);
}

std::string absolute(const std::string& path, const Session& session) {
  std::string place = session.path_of(path);
  if (!scheme_of(place).empty()) return place;
  std::error_code error;
  auto result = std::filesystem::absolute(place, error);
  if (error) throw Error(ErrorCode::io, error.message(), path);
  return result.lexically_normal().string();
}

/// "a/b" of "a/b/*.bag".
std::string folder_of_glob(const std::string& glob) {
  std::size_t magic = std::min(glob.find_first_of("*?["), glob.size());
  return std::string(parent_folder(glob.substr(0, magic)));
}

/// Nothing is below "", which stands for no folder.
bool is_below(std::string_view path, const std::string& folder) {
  if (folder.empty()) return false;
  std::string start = folder.ends_with('/') ? folder : folder + "/";
  return path.size() > start.size() && path.starts_with(start);
}

class Planner {
 public:
  Planner(const BatchRequest& request, const Session& session, const std::stop_token& stop)
      : request_(request), session_(session), stop_(stop), to_(without_slash(request.to)) {}

  void add(const std::string& from) {
    if (is_path_glob(from, session_)) {
      std::string base = folder_of_glob(from);
      for (const FoundPath& found : matching_paths(from, session_, stop_)) {
        found.status.is_folder
            ? add_folder(without_slash(found.path), base)
            : add_bag(found.path, base, state_of(found.status, found.path, session_), false);
      }
      return;
    }
    FileSystemPtr files = session_.file_system(from);
    auto there = files->status(from);
    if (!there) throw Error(ErrorCode::not_found, "no such file or folder", shown_path(from));
    std::string place = without_slash(from);
    if (!there->is_folder) return add_bag(place, "", state_of(*there, place, session_), false);
    add_folder(place,
               is_folder_of_bags(place, session_) ? place : std::string(parent_folder(place)));
  }

  std::vector<Task> take() {
    std::ranges::sort(tasks_, {}, &Task::source);
    auto is_same = [](const Task& a, const Task& b) { return a.source == b.source; };
    tasks_.erase(std::unique(tasks_.begin(), tasks_.end(), is_same), tasks_.end());
    if (tasks_.empty()) throw Error(ErrorCode::not_found, "no bags", request_.from.front());
    require_targets();
    return std::move(tasks_);
  }

 private:
  void add_folder(const std::string& folder, const std::string& base) {
    if (!is_folder_of_bags(folder, session_)) {
      return add_bag(folder, base, batch::state_of(folder, session_), true);
    }
    for (const auto& [path, listed] : bags_below(folder, session_, {})) {
      require_not_stopped();
      if (listed == FileStatus()) {  // its task says why it cannot be looked at
        add_bag(path, base, "", false);
        continue;
      }
      auto status = session_.file_system(path)->status(path);
      if (!status) continue;  // it has gone meanwhile
      std::string state =
          status->is_folder ? state_of(path, session_) : state_of(*status, path, session_);
      add_bag(path, base, state, status->is_folder);
    }
  }

  void add_bag(const std::string& path, const std::string& base, const std::string& state,
               bool is_folder) {
    require_not_stopped();
    if (is_below(to_, base) && is_below(path, to_)) return;
    std::string name =
        is_below(path, base) ? path.substr(without_slash(base).size() + 1) : name_at(path);
    if (base == "/") name = path.substr(1);
    if (name.empty()) refuse("has no file name", shown_path(path));
    std::string target = path_in(to_, target_name(request_, name, is_folder, session_));
    tasks_.push_back({path, state, std::move(target)});
  }

  // Both mistakes would show only when the second bag is written, perhaps hours later.
  void require_targets() const {
    std::map<std::string_view, const Task*> known;
    std::set<std::string_view> sources;
    for (const Task& task : tasks_) sources.insert(task.source);
    for (const Task& task : tasks_) {
      std::string target = without_slash(task.target);
      if (sources.contains(target)) {
        refuse("is a bag itself, and would be a target; name another folder", target);
      }
      auto [other, is_new] = known.emplace(task.target, &task);
      if (is_new) continue;
      refuse(fmt::format("would be the target of {} and of {}", shown_path(other->second->source),
                         shown_path(task.source)),
             task.target);
    }
  }

  void require_not_stopped() const {
    if (stop_.stop_requested()) throw Error(ErrorCode::cancelled, "interrupted");
  }

  const BatchRequest& request_;
  const Session& session_;
  std::stop_token stop_;
  std::string to_;
  std::vector<Task> tasks_;
};

}  // namespace

BatchRequest complete(BatchRequest request, const Session& session) {
  if (request.verb.empty() && !request.job.empty()) {
    return JobFolder(absolute(request.job, session), session).request();
  }
  static_cast<void>(target_kind(request.verb));
  if (request.from.empty()) refuse("no bags are named");
  if (request.to.empty()) refuse("the target folder is missing");
  for (std::string& from : request.from) {
    from = absolute(from, session);
    if (shown_path(from) == from) continue;
    refuse("has a password or signature, and a job keeps its addresses in files", shown_path(from));
  }
  request.to = without_slash(absolute(request.to, session));
  if (request.job.empty()) {
    std::string text = text_of(request);
    ByteView bytes = as_bytes(text);
    std::string sum = sha256(std::span(&bytes, 1)).substr(0, kJobDigits);
    request.job = fmt::format("{}/.kitbag-batch/{}-{}", request.to, request.verb, sum);
  } else {
    request.job = without_slash(absolute(request.job, session));
  }
  return request;
}

std::vector<Task> plan(const BatchRequest& request, const Session& session,
                       const std::stop_token& stop) {
  Planner planner(request, session, stop);
  for (const std::string& from : request.from) planner.add(from);
  return planner.take();
}

}  // namespace kitbag::batch
