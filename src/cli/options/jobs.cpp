#include "cli/options/jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <set>
#include <thread>

#include "cli/options/many_bags.h"
#include "cli/terminal/print.h"
#include "kitbag/file_system.h"
#include "kitbag/open.h"
#include "kitbag/paths.h"
#include "kitbag/rewrite.h"

// What can go wrong for all inputs alike, or shows that the command line was meant otherwise, is
// found here, before the first bag is written: `compress run.bag small.bag` is two bags, and the
// second one is missing if somebody meant the name of the result.

namespace kitbag::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& text, const std::string& file = {}) {
  throw Error(ErrorCode::invalid, text, file);
}

void require_no_splitting(const TargetOptions& target, const std::string& verb) {
  if (!target.split.any() && !target.append && target.write.format.empty()) return;
  refuse(
      fmt::format("{}: bags are changed in place unless -o or --output-dir is given; "
                  "--append, --format and the --split options require one of these",
                  verb));
}

/// Live systems and streams are none.
bool is_file(const std::string& input, const Session& session) {
  if (input == "-") return false;
  if (!location_of(input)) return true;
  try {
    session.path_of(input);
    return true;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::unsupported) return false;
    throw;
  }
}

void require_file(const std::string& input, const Session& session) {
  if (is_file(input, session) && !name_at(input).empty()) return;
  refuse("has no file name; name the output with -o", input);
}

bool is_folder_at(const std::string& path, const Session& session) {
  std::string place = session.path_of(path);
  auto status = session.file_system(place)->status(place);
  return status && status->is_folder;
}

std::vector<Job> jobs_in_folder(const OutputOptions& output, const std::vector<std::string>& inputs,
                                const TargetOptions& target, const Context& context) {
  std::vector<Job> jobs;
  std::map<std::string, std::string> inputs_by_target;
  std::string folder = context.session.path_of(output.folder);
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  for (const NamedBag& bag : named_bags(inputs, output.is_recursive, context)) {
    require_file(bag.path, context.session);
    Job& job = jobs.emplace_back(Job{{bag.path}, target});
    std::string name = name_in_format(bag.name, target.write.format,
                                      is_folder_at(bag.path, context.session), context.session);
    job.target.path = folder + "/" + name;
    auto [known, is_new] = inputs_by_target.emplace(job.target.path, bag.path);
    if (!is_new) {
      refuse(fmt::format("would be the output of {} and of {}; convert them one by one",
                         known->second, bag.path),
             job.target.path);
    }
  }
  for (const Job& job : jobs) {
    std::string path = job.target.path;
    if (path.ends_with('/')) path.pop_back();
    make_folders(fs::path(path).parent_path().string(), *context.session.file_system(path));
  }
  return jobs;
}

void require_there(const std::string& path, const Session& session) {
  std::string place = session.path_of(path);
  if (session.file_system(place)->status(place)) return;
  throw Error(ErrorCode::not_found,
              fmt::format("no such file; each name is a bag that is changed in place, so name the "
                          "output with -o {}",
                          path),
              path);
}

std::vector<Job> jobs_in_place(const OutputOptions& output, const std::vector<std::string>& inputs,
                               const TargetOptions& target, const Context& context) {
  for (const std::string& input : inputs) {
    require_file(input, context.session);
    require_there(input, context.session);
  }
  std::vector<Job> jobs;
  std::set<std::string> known;
  for (const NamedBag& bag : named_bags(inputs, output.is_recursive, context)) {
    if (!known.insert(fs::path(bag.path).lexically_normal().string()).second) continue;
    if (is_original_path(bag.path)) {
      print_note(fmt::format("{}: the original of a bag; skipped", bag.path));
      continue;
    }
    Job& job = jobs.emplace_back(Job{{bag.path}, target});
    job.target.path = bag.path;
    job.target.is_in_place = true;
  }
  return jobs;
}

/// The last of many names may be a bag that a glob found (`merge -f *.bag`), or the second one
/// where the output was forgotten (`merge a.bag b.bag`). So neither is replaced, and --force, which
/// would be tried next, is not recommended.
void require_no_victim(const std::string& path, const std::vector<std::string>& inputs,
                       const TargetOptions& target, const Context& context) {
  if (path == "-" || target.append || target.split.any()) return;
  std::string place = context.session.path_of(path);
  auto status = context.session.file_system(place)->status(place);
  if (!status || !status->is_regular) return;
  std::string why = inputs.size() > 1 ? "with several inputs, the last name is the output"
                                      : inputs.front() +
                                            " is the only input, as the last name is "
                                            "the output";
  refuse(fmt::format("already exists; {}; name the output after the bags, or with -o OUT", why),
         path);
}

}  // namespace

void take_target(OutputOptions& output, std::vector<std::string>& inputs,
                 const TargetOptions& target, const std::string& verb) {
  if (!output.path.empty() && !output.folder.empty()) {
    refuse(fmt::format("{}: -o names one output; it excludes --output-dir", verb));
  }
  if (output.as_json && output.path == "-") {
    refuse(fmt::format("{}: --json and the bag cannot both go to standard output", verb));
  }
  if (!output.is_each() && (output.is_recursive || output.jobs > 1)) {
    refuse(fmt::format("{}: -r and -j require --output-dir", verb));
  }
  if (output.is_each()) {
    if (output.folder.empty()) require_no_splitting(target, verb);
    if (target.append) refuse(fmt::format("{}: --append requires one output", verb));
    return;
  }
  if (!output.path.empty()) return;
  if (inputs.size() < 2) {
    refuse(
        fmt::format("{}: name the output, as OUT, with -o OUT or with --output-dir DIR; "
                    "see kitbag {} --help",
                    verb, verb));
  }
  output.path = inputs.back();
  output.was_last_name = true;
  inputs.pop_back();
}

std::vector<Job> plan_jobs(const OutputOptions& output, const std::vector<std::string>& given,
                           const TargetOptions& target, const Context& context) {
  std::vector<std::string> inputs = expanded_paths(given, context.session, context.stop);
  if (!output.folder.empty()) return jobs_in_folder(output, inputs, target, context);
  if (output.is_each()) return jobs_in_place(output, inputs, target, context);
  bool takes_several =
      inputs.size() > 1 || output.by_default == OutputOptions::Default::last_of_several;
  if (output.was_last_name && takes_several && !inputs.empty()) {
    require_no_victim(output.path, inputs, target, context);
  }
  Job job{inputs, target};
  job.target.path = output.path;
  return {job};
}

void run_jobs(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work) {
  // Each thread takes the next job when it is done with one, since bags differ much in size. This
  // thread is one of them.
  std::atomic<std::size_t> next = 0;
  auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::jthread> others;
  std::size_t most = std::min<std::size_t>(threads, count);
  for (std::size_t i = 1; i < most; ++i) others.emplace_back(run);
  run();
}

}  // namespace kitbag::cli
