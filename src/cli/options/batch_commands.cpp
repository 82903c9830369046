#include "cli/options/batch_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "kitbag/error.h"
#include "kitbag/escape.h"

// A target is named twice: by the batch, which must know it before the command runs, and by the
// command, which gets a folder and makes the name by itself. Both call name_in_format(), so they
// agree.
//
// Options that would name another target, make several of it or change how the result is printed
// are refused. The bag comes behind "--", since a file may have a name like an option.

namespace kitbag::cli {
namespace {

constexpr std::string_view kOwnOptions[] = {
    "-o", "--output",    "--output-dir", "--append", "--split-size", "--split-duration",
    "-r", "--recursive", "--in-place",   "--json",   "--catalog",    "--split-messages",
    "-j", "--jobs",      "-h",           "--help",   "--help-all",   "--force",
    "-f", "--"};

/// "--format" of "--format=mcap", "-o" of "-oout".
std::string_view name_of(std::string_view option) {
  if (option.starts_with("--")) return option.substr(0, option.find('='));
  bool has_value = option.starts_with("-o") || option.starts_with("-j");
  return has_value ? option.substr(0, 2) : option;
}

}  // namespace

std::vector<std::string> batch_command(const BatchRequest& request, const std::string& source,
                                       const std::string& target) {
  std::vector<std::string> command{request.verb};
  command.insert(command.end(), request.options.begin(), request.options.end());
  std::string place = target;
  while (place.size() > 1 && place.ends_with('/')) place.pop_back();
  if (request.verb == "convert" || request.verb == "repair") {
    command.insert(command.end(), {"--output-dir", place.substr(0, place.rfind('/'))});
  } else if (request.verb == "export") {
    command.insert(command.end(), {"-o", place});
  } else if (request.verb == "check" || request.verb == "find") {
    command.emplace_back("--json");
  } else {
    throw Error(ErrorCode::invalid,
                fmt::format("\"{}\" cannot be done in a batch; convert, repair, export, check and "
                            "find can",
                            request.verb));
  }
  command.insert(command.end(), {"--", source});
  return command;
}

void require_batch_options(const std::vector<std::string>& options) {
  for (const std::string& option : options) {
    if (std::ranges::find(kOwnOptions, name_of(option)) == std::end(kOwnOptions)) continue;
    throw Error(ErrorCode::invalid,
                fmt::format("{} cannot be an option of the bags of a batch", name_of(option)));
  }
}

std::string batch_format(const std::vector<std::string>& options) {
  constexpr std::string_view kFormat = "--format";
  std::string format;
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (options[i] == kFormat && i + 1 < options.size()) format = options[i + 1];
    if (options[i].starts_with("--format=")) format = options[i].substr(kFormat.size() + 1);
  }
  return format;
}

std::string batch_task_text(const BatchTask& task) {
  std::string source = shown_path(task.source);
  return task.reason.starts_with(source) ? task.reason : fmt::format("{}: {}", source, task.reason);
}

std::string program_path() {
  return std::filesystem::read_symlink("/proc/self/exe").string();
}

std::vector<std::string> batch_worker(const BatchRequest& request) {
  std::vector<std::string> command{program_path(), std::string(kBatchServeOption), request.verb};
  command.insert(command.end(), request.options.begin(), request.options.end());
  return command;
}

}  // namespace kitbag::cli
