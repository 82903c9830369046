#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "cli/options/payload_stages.h"
#include "cli/terminal/json.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/progress.h"
#include "cli/verbs.h"
#include "kitbag/csv.h"
#include "kitbag/import_tables.h"
#include "kitbag/merge.h"
#include "kitbag/parquet.h"
#include "kitbag/text.h"

// The opposite of export: tables become sources of messages, and from there everything is as in
// `convert`, with the same stages, target and last line. A table says by itself what its messages
// are if export has made it; for others the type is given by option, and the encoding by the
// target's format, so that a table of a spreadsheet becomes a .bag in ros1 and an .mcap in cdr.

namespace kitbag::cli {
namespace {

bool is_table_name(const std::string& name) {
  return name.ends_with(".parquet") || name.ends_with(".csv") || name.ends_with(".tsv");
}

/// A folder stands for the tables in it.
std::vector<std::string> files_of(const std::vector<std::string>& paths, const Session& session) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::string place = path == "-" ? path : session.path_of(path);
    auto status = path == "-" ? std::nullopt : session.file_system(place)->status(place);
    if (!status || !status->is_folder) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> names = session.file_system(place)->list(place);
    std::erase_if(names, [](const std::string& name) {
      return !is_table_name(name) || name.starts_with('.');
    });
    if (names.empty()) {
      throw Error(ErrorCode::not_found, "the folder has no .parquet, .csv or .tsv file", path);
    }
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
      files.push_back(path.ends_with('/') ? path + name : path + '/' + name);
    }
  }
  return files;
}

/// The encoding that is asked for, or that of the target's format.
std::string encoding_for(const ImportArguments& arguments, const Session& session) {
  if (!arguments.encoding.empty()) return arguments.encoding;
  const TargetOptions& target = arguments.target;
  return std::string(session.format_for(target.path, target.write.format).usual_encoding);
}

/// The library names no options.
/// Its errors are recognized by how they begin; one that is worded differently is printed without
/// the hint.
Error with_option(const Error& error) {
  constexpr std::pair<const char*, const char*> kOptions[] = {
      {"columns that fit no field", "--ignore-columns leaves them out"},
      {"does not say the type", "--type names it"},
      {"does not say the topic", "--topic names it"},
      {"there is no column", "--time-column names it"},
      {"there is no definition", "--definitions names the folder"},
  };
  for (const auto& [begin, option] : kOptions) {
    if (!error.message().starts_with(begin)) continue;
    return {error.code(), fmt::format("{} ({})", error.message(), option), error.file()};
  }
  return error;
}

std::unique_ptr<Source> read_tables(const std::vector<std::string>& files,
                                    const ImportArguments& arguments, PayloadStages& stages,
                                    const Context& context) {
  ImportRequest request = arguments.request;
  request.encoding = encoding_for(arguments, context.session);
  request.definitions = stages.definitions().paths();
  request.on_warning = [](const Error& error) { print_warning(error.what()); };
  std::uint64_t rows = 0;
  bool are_rows_known = true;
  std::vector<std::unique_ptr<Source>> sources;
  for (const std::string& file : files) {
    TableFile table = open_table(file, arguments.open, context.session);
    const auto* parquet = dynamic_cast<const ParquetReader*>(table.columns.get());
    are_rows_known = are_rows_known && parquet;
    if (parquet) rows += parquet->rows();
    sources.push_back(messages_from(std::move(table), request, context.session));
  }
  auto source =
      // A single table keeps the order of its rows, whatever their times are; several are merged by
      // time.
      sources.size() == 1 ? std::move(sources.front()) : merge(std::move(sources), Order::time);
  // A CSV file does not say how many rows it has.
  if (are_rows_known) source = watched(std::move(source), rows, context);
  return stages.add_to(std::move(source));
}

Converted write_bag(const ImportArguments& arguments, const std::vector<std::string>& files,
                    const Context& context) {
  SteadyTime start = context.clock.steady();
  PayloadOptions payload{.definitions = arguments.definitions, .on_error = OnError::stop};
  payload.transcoding.encoding = arguments.encoding;
  PayloadStages stages(payload, context);
  auto source = read_tables(files, arguments, stages, context);
  Target target(arguments.target, context);
  Converted result;
  result.inputs = files;
  result.totals = run(*source, target.sink(), context.clock, context.stop);
  throw_if_stopped({.stop = context.stop, .until = kNever});
  target.close();
  result.channels = source->channels();
  source.reset();  // erases the progress bar
  result.name = target.name();
  result.files = target.files();
  result.size_bytes = target.size_bytes();
  result.taken = context.clock.steady() - start;
  stages.warn();
  return result;
}

}  // namespace

int import_tables(const ImportArguments& arguments, const Context& context) {
  std::vector<std::string> files = files_of(arguments.tables, context.session);
  check_target(arguments.target, files, context.session);
  Converted result;
  try {
    result = write_bag(arguments, files, context);
  } catch (const Error& error) {
    if (!context.stop.stop_requested()) throw with_option(error);
    throw Error(ErrorCode::cancelled, "interrupted; the bag was not written",
                arguments.target.path);
  }
  if (result.name == "-") return kDone;  // which the bag itself has gone to
  if (arguments.as_json) {
    context.out.write(converted_json(result) + "\n");
    return kDone;
  }
  context.out.make_status();
  context.out.line("{}: {}, {} on disk, {:.2f} s", result.name,
                   describe(result.totals, result.channels), format_size(result.size_bytes),
                   std::chrono::duration<double>(result.taken).count());
  return kDone;
}

}  // namespace kitbag::cli
