#include "exports.h"

#include <pybind11/stl.h>

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "arguments.h"
#include "bag.h"
#include "kitbag/export_messages.h"
#include "kitbag/import_tables.h"
#include "kitbag/merge.h"
#include "kitbag/pipeline.h"
#include "kitbag/transcode.h"
#include "message_progress.h"
#include "writer.h"

// Files for other programs, and bags of tables. Options come as a dict, of which those that are not
// given have the library's defaults. What the library is willing to tell, such as topics that were
// left out, becomes a TypeWarning; damage in a bag stays a DamageWarning.

namespace kitbag::python {

namespace {

Partition partition_of(const std::string& name) {
  if (name.empty()) return Partition::none;
  if (name == "day") return Partition::by_day;
  if (name == "bag") return Partition::by_bag;
  throw Error(ErrorCode::invalid, "unknown partition \"" + name + "\"; use \"day\" or \"bag\"");
}

TimeFormat time_format_of(const std::string& name) {
  if (name == "ns") return TimeFormat::ns;
  if (name == "seconds") return TimeFormat::seconds;
  if (name == "iso") return TimeFormat::iso;
  throw Error(ErrorCode::invalid,
              "unknown time_format \"" + name + "\"; use \"ns\", \"seconds\" or \"iso\"");
}

ExportRequest export_request(const py::dict& options) {
  ExportRequest request;
  take(options, "format", request.format);
  take(options, "fields", request.columns.fields);
  std::string time = "log_time";
  take(options, "time", time);
  request.columns.time = row_time_of(time);
  std::string on_error = "stop";
  take(options, "on_error", on_error);
  request.columns.on_error = on_error_of(on_error);
  std::string partition;
  take(options, "partition", partition);
  request.partition = partition_of(partition);
  take(options, "replace", request.may_replace);
  take(options, "held_bytes", request.held_bytes);
  take(options, "zstd_level", request.parquet.zstd_level);
  take(options, "row_group_bytes", request.parquet.row_group_bytes);
  take(options, "page_bytes", request.parquet.page_bytes);
  std::map<std::string, std::string> metadata;
  take(options, "metadata", metadata);
  request.parquet.key_values.assign(metadata.begin(), metadata.end());
  std::string time_format = "ns";
  take(options, "time_format", time_format);
  request.csv.time_format = time_format_of(time_format);
  take(options, "escape_formulas", request.csv.escapes_formulas);
  take(options, "crf", request.video.crf);
  take(options, "preset", request.video.preset);
  take(options, "frame_parent", request.frame.parent);
  take(options, "frame_child", request.frame.child);
  take(options, "dataset", request.dataset);
  return request;
}

/// `bag_names`: what each path is called in the names of files.
py::list export_bags(const Bags& bags, const std::string& folder, const py::dict& options,
                     const Wanted& wanted, const std::map<std::string, std::string>& bag_names,
                     const py::object& progress) {
  auto news = std::make_shared<Problems>("TypeWarning");
  TranscodeReport of_condition;
  TranscodeReport of_messages;
  ExportRequest request = export_request(options);
  request.columns.report = &of_messages;
  request.columns.on_warning = Problems::collector(news);
  bool is_in_turn = reads_in_turn(request);
  if (is_in_turn) {
    request.bag_of = [&](const Channel& channel) {
      std::string path = bag_of(channel);
      auto found = bag_names.find(path);
      return found == bag_names.end() ? path : found->second;
    };
  }
  MessageProgress told(progress, messages_in(bags));
  auto work = [&](const std::stop_token& stop) {
    auto source =
        is_in_turn ? bags.read_in_turn(wanted, &of_condition) : bags.read(wanted, &of_condition);
    return export_messages(told.watched(std::move(source)), folder, request, session(),
                           {.stop = stop});
  };
  auto files = interruptibly(work, [&](std::stop_source&) { told.tell(); });
  told.tell_end(told.messages());
  bags.problems()->warn();
  news->warn();
  warn_of_losses(of_condition);
  warn_of_losses(of_messages);
  py::list all;
  for (const Exported& each : files) {
    all.append(py::make_tuple(str(each.topic), str(each.path), each.messages, each.files,
                              each.size_bytes));
  }
  return all;
}

/// A file, or a stream of Arrow in its capsule.
using GivenTable = std::variant<std::string, py::capsule>;

/// The tables in the order in which they were given; streams are taken out of their capsules.
class Tables {
 public:
  explicit Tables(const std::vector<GivenTable>& given) {
    for (const GivenTable& each : given) {
      Table table;
      if (const auto* path = std::get_if<std::string>(&each)) {
        table.path = *path;
      } else {
        auto* stream = std::get<py::capsule>(each).get_pointer<ArrowArrayStream>();
        if (!stream->release) throw Error(ErrorCode::invalid, "the stream was read already");
        table.columns = columns_of(stream);
      }
      all_.push_back(std::move(table));
    }
  }

  /// Their rows; of several tables by time. Once.
  std::unique_ptr<Source> read(const OpenTableOptions& how, const ImportRequest& request) {
    std::vector<std::unique_ptr<Source>> sources;
    for (Table& each : all_) {
      TableFile table;
      if (each.columns) {
        table.columns = std::move(each.columns);
      } else {
        table = open_table(each.path, how, session());
      }
      if (const auto* file = dynamic_cast<const ParquetReader*>(table.columns.get())) {
        rows_ += file->rows();
      }
      sources.push_back(messages_from(std::move(table), request, session()));
    }
    return sources.size() == 1 ? std::move(sources.front())
                               : merge(std::move(sources), Order::time);
  }

  /// How many Parquet files say that they have.
  std::uint64_t rows() const { return rows_; }

 private:
  struct Table {
    std::string path;
    std::unique_ptr<Columns> columns;
  };

  std::vector<Table> all_;
  std::uint64_t rows_ = 0;
};

/// The library names no arguments.
Error with_argument(const Error& error) {
  constexpr std::pair<const char*, const char*> kArguments[] = {
      {"columns that fit no field", "ignore_columns=True leaves them out"},
      {"does not say the type", "type= names it"},
      {"does not say the topic", "topic= names it"},
      {"there is no column", "time_column= names it"},
      {"there is no definition", "definitions= names the folder"},
  };
  for (const auto& [begin, argument] : kArguments) {
    if (!error.message().starts_with(begin)) continue;
    return {error.code(), error.message() + " (" + argument + ")", error.file()};
  }
  return error;
}

std::int64_t time_unit_of(const std::string& name) {
  if (name.empty()) return 0;
  if (name == "s") return 1'000'000'000;
  if (name == "ms") return 1'000'000;
  if (name == "us") return 1'000;
  if (name == "ns") return 1;
  throw Error(ErrorCode::invalid,
              "unknown time_unit \"" + name + "\"; use \"s\", \"ms\", \"us\" or \"ns\"");
}

py::dict import_tables(const std::vector<GivenTable>& given, const std::string& target,
                       const py::dict& how_to_read, const py::dict& how_to_write,
                       const py::object& progress) {
  auto problems = std::make_shared<Problems>();
  auto news = std::make_shared<Problems>("TypeWarning");
  WriteOptions how = write_options(how_to_write, problems);
  ImportRequest request;
  request.on_warning = Problems::collector(news);
  take(how_to_read, "topic", request.topic);
  take(how_to_read, "type", request.type);
  take(how_to_read, "time_column", request.time_column);
  take(how_to_read, "ignore_columns", request.ignores_columns);
  std::string time_unit;
  take(how_to_read, "time_unit", time_unit);
  request.time_unit_ns = time_unit_of(time_unit);
  std::vector<std::string> folders;
  take(how_to_read, "definitions", folders);
  std::string encoding;
  take(how_to_read, "encoding", encoding);
  request.encoding = encoding;
  std::string delimiter;
  take(how_to_read, "delimiter", delimiter);
  if (delimiter.size() > 1) throw Error(ErrorCode::invalid, "delimiter is not one character");
  OpenTableOptions opening{.delimiter = delimiter.empty() ? '\0' : delimiter.front()};
  Tables tables(given);
  MessageProgress told(progress, 0);
  TranscodeReport report;
  auto work = [&](const std::stop_token& stop) {
    request.definitions = definition_places(folders);
    if (encoding.empty()) {
      bool is_rosbag = session().format_for(target, how.format).name == "rosbag";
      request.encoding = is_rosbag ? "ros1" : "cdr";
    }
    try {
      auto source = tables.read(opening, request);
      told.set_total(tables.rows());
      source = told.watched(std::move(source));
      if (!encoding.empty()) {
        source = through(std::move(source),
                         transcode({.encoding = encoding, .report = &report}, session()));
      }
      auto writer = session().create(target, how);
      Totals done = run(*source, *writer, *session().clock(), stop);
      throw_if_stopped({.stop = stop});
      writer->close();
      return done;
    } catch (const Error& error) {
      throw with_argument(error);
    }
  };
  Totals totals = interruptibly(work, [&](std::stop_source&) { told.tell(); });
  told.tell_end(totals.messages);
  problems->warn();
  news->warn();
  warn_of_losses(report);
  py::dict result;
  result["messages"] = totals.messages;
  result["bytes"] = totals.bytes;
  return result;
}

}  // namespace

void add_exports(py::module_& module) {
  module.def("_export", &export_bags, py::arg("bags"), py::arg("folder"), py::arg("options"),
             py::arg("wanted"), py::arg("bag_names"), py::arg("progress"));
  module.def("_import_tables", &import_tables, py::arg("tables"), py::arg("target"),
             py::arg("how_to_read"), py::arg("how_to_write"), py::arg("progress"));
}

}  // namespace kitbag::python
