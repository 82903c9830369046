#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "cli/options/inputs.h"
#include "cli/terminal/json.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/progress.h"
#include "cli/verbs.h"
#include "kitbag/export_messages.h"
#include "kitbag/open.h"
#include "kitbag/pipeline.h"
#include "kitbag/text.h"

// The library exports (decision 021); what is here is the way from a command line to a request.
// What does not fit is refused before the bags are opened: options of another format, and a folder
// whose name says that one file was wanted. The files appear together at the end, so after Ctrl-C
// there are none.

namespace kitbag::cli {
namespace {

std::vector<Exported> export_to(std::unique_ptr<Source> source, const std::string& folder,
                                const ExportRequest& request, const Context& context) {
  try {
    return export_messages(std::move(source), folder, request, context.session,
                           {.stop = context.stop, .until = kNever});
  } catch (const Error&) {
    // Any error behind a stop request is its consequence, such as a pipe that was closed.
    if (!context.stop.stop_requested()) throw;
    throw Error(ErrorCode::cancelled, "interrupted; no file was written", folder);
  }
}

void print_exported(const std::vector<Exported>& written, Output& out) {
  Exported all;
  all.files = 0;
  for (const Exported& each : written) {
    std::string of = each.topic.empty() ? "" : " of " + each.topic;
    std::string in = each.files == 1 ? "" : " in " + counted(each.files, "file");
    out.line("{}: {}{}{}, {}", each.path, counted(each.messages, "message"), of, in,
             format_size(each.size_bytes));
    all.messages += each.messages;
    all.files += each.files;
    all.size_bytes += each.size_bytes;
  }
  out.line("{}: {}, {}", counted(all.files, "file"), counted(all.messages, "message"),
           format_size(all.size_bytes));
}

/// The last `count` parts of a path: "day/run.bag" of "/data/day/run.bag" for 2.
std::string end_of_path(const std::string& path, std::size_t count) {
  std::size_t slash = path.size();
  for (; count > 0 && slash != std::string::npos && slash > 0; --count) {
    slash = path.rfind('/', slash - 1);
  }
  return slash == std::string::npos || slash == 0 ? path : path.substr(slash + 1);
}

/// Names bags by their files, and with as many folders as it takes to distinguish them.
std::map<std::string, std::string> names_of_bags(const std::vector<std::string>& paths) {
  auto whole = [](std::string path) {
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    return path;
  };
  std::map<std::string, std::string> short_names;  // by whole path; "": not found yet
  for (const std::string& path : paths) short_names[whole(path)];
  std::size_t found = 0;
  // It ends, because whole paths differ.
  for (std::size_t count = 1; found < short_names.size(); ++count) {
    std::map<std::string, std::size_t> bags;  // with the same end of their paths
    for (const auto& each : short_names) ++bags[end_of_path(each.first, count)];
    for (auto& [path, name] : short_names) {
      if (!name.empty() || bags[end_of_path(path, count)] > 1) continue;
      name = end_of_path(path, count);
      ++found;
    }
  }
  std::map<std::string, std::string> names;
  for (const std::string& path : paths) names[path] = short_names[whole(path)];
  return names;
}

constexpr std::uint64_t kMostDescriptionBytes = 1 << 20;

std::string read_description(const std::string& path, const Context& context) {
  auto file = context.session.file_system(path)->open(path);
  if (file->size() > kMostDescriptionBytes) {
    throw Error(ErrorCode::invalid, "the file is too large for the description of a dataset", path);
  }
  std::string text(static_cast<std::size_t>(file->size()), '\0');
  text.resize(file->read(0, std::as_writable_bytes(std::span(text))));
  return text;
}

bool in_turn(const ExportRequest& request, const std::string& config) {
  try {
    return reads_in_turn(request);
  } catch (const Error& error) {
    throw Error(error.code(), error.message(), config);
  }
}

void require_options_fit(const ExportRequest& request, const std::string& config) {
  if (config.empty() != (request.format != "lerobot")) {
    throw Error(ErrorCode::invalid,
                config.empty() ? "--format lerobot requires --config FILE, a description of the "
                                 "dataset; docs/datasets.md has an example"
                               : "--config requires --format lerobot");
  }
  bool has_csv_options = request.csv.time_format != TimeFormat::ns || request.csv.escapes_formulas;
  if (has_csv_options && request.format != "csv") {
    throw Error(ErrorCode::invalid, "--time-format and --escape-formulas require --format csv");
  }
}

/// Refuses a folder whose name is that of a file in another format: imu.csv with files of Parquet.
void require_folder(const std::string& folder, const std::string& format, const Session& session) {
  std::string ending = std::filesystem::path(folder).extension().string();
  if (ending.empty() || location_of(folder)) return;
  std::string named = ending == ".h5" ? "hdf5" : ending.substr(1);
  auto formats = export_format_names(session);
  std::error_code ignored;
  bool is_other =
      named != format && std::find(formats.begin(), formats.end(), named) != formats.end();
  if (!is_other || std::filesystem::is_directory(folder, ignored)) return;
  throw Error(ErrorCode::invalid,
              fmt::format("would be a folder of {} files; to write {} files use -o DIR --format {}",
                          format, named, named),
              folder);
}

}  // namespace

int export_bags(const ExportArguments& arguments, const Context& context) {
  ExportRequest request = arguments.request;
  PayloadOptions payload = arguments.payload;
  payload.on_error = request.columns.on_error;
  PayloadStages stages(payload, context);
  request.columns.report = &stages.report();
  request.columns.on_warning = [](const Error& error) { print_warning(error.what()); };
  require_options_fit(request, arguments.config);
  require_folder(arguments.folder, request.format, context.session);
  if (!arguments.config.empty()) request.dataset = read_description(arguments.config, context);
  // Where a bag is a part or an episode of its own, bags are read one after the other, not merged.
  bool is_in_turn = in_turn(request, arguments.config);
  std::vector<std::string> paths = arguments.bags.paths(context);
  Inputs inputs(paths, arguments.reading, context, {.tells_files = is_in_turn, .recursive = "-r"});
  std::map<std::string, std::string> names;
  if (is_in_turn) {
    names = names_of_bags(paths);
    request.bag_of = [&names](const Channel& channel) {
      std::string file = file_of(channel);
      auto found = names.find(file);
      return found == names.end() ? file : found->second;
    };
  }
  Query query = make_query(arguments.select, inputs.bags());
  std::uint64_t count = query.count;
  if (!payload.where.empty()) query.count = UINT64_MAX;
  auto source = is_in_turn ? read_in_turn({inputs.bags().begin(), inputs.bags().end()}, query)
                           : inputs.read(query);
  source = watched(std::move(source), expected_messages(query, inputs.bags()), context);
  source = stages.add_to(std::move(source), count);
  auto files = export_to(std::move(source), arguments.folder, request, context);
  if (arguments.as_json) {
    for (const Exported& each : files) context.out.write(exported_json(each) + "\n");
  } else {
    context.out.make_status();
    print_exported(files, context.out);
  }
  int code = inputs.warn();
  stages.warn();
  return code;
}

}  // namespace kitbag::cli
