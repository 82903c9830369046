#include <fmt/format.h>

#include "cli/command_line/options.h"
#include "cli/command_line/verb.h"
#include "cli/verbs.h"

namespace kitbag::cli {
namespace {

constexpr VerbText kImportText{
    .summary = "Write a bag from tables: the opposite of export.",
    .more = "A row of a Parquet or CSV file becomes a message. OUT appears complete or not at all.",
    .examples = R"(  kitbag import tables/ -o run.mcap
  kitbag import track.csv -o track.bag --topic /odom --type nav_msgs/Odometry
  kitbag import log.parquet -o log.mcap --type sensor_msgs/Imu --time-column stamp)",
    .notes = R"(TABLE is a file, or a folder of .parquet, .csv and .tsv files; - is CSV on standard
input. Parquet files of kitbag export contain their topic, type and encoding; other tables need
--type. Without --topic, the topic is the one in the table, or is made from the name of the file:
camera__image.csv has the topic /camera/image.

Columns are matched with the fields of the type by name: pose, pose.position.x, ranges[3]. In CSV,
lists are JSON. Fields without a column have their defaults, which a warning says.

The time of a message is in the column time, log_time or log_time_ns, or in the one that
--time-column names. Rows are written in their order, and those of several tables by time; kitbag
sort puts messages in the order of time.)"};

std::int64_t parse_time_unit(const std::string& text) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  constexpr std::int64_t kMillisecond = 1'000'000;
  constexpr std::int64_t kMicrosecond = 1'000;
  if (text == "s") return kSecond;
  if (text == "ms") return kMillisecond;
  if (text == "us") return kMicrosecond;
  if (text == "ns") return 1;
  throw_invalid(fmt::format("invalid value \"{}\"; expected one of s|ms|us|ns", text));
}

char parse_delimiter(const std::string& text) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() == 1 && text != "\"" && text != "\n" && text != "\r") return text.front();
  throw_invalid(fmt::format("invalid value \"{}\"; expected one character, or tab", text));
}

}  // namespace

void add_import(CommandLine& line) {
  auto arguments = std::make_shared<ImportArguments>();
  Verb& verb = line.add_verb("import", kWritingVerbs, kImportText, arguments, import_tables);
  ImportRequest& request = arguments->request;
  arguments->target.write.compression = "none";
  add_list(verb, "TABLE", arguments->tables, "TABLE...",
           "Parquet and CSV files, or folders of them")
      ->required();
  verb.common(add_text(verb, "-o,--output", arguments->target.path, "OUT", "Write the bag OUT")
                  ->required()
                  ->group(kOutputGroup));
  add_force(verb, arguments->target.write.may_replace, "Replace an existing OUT");
  verb.add_flag("--json", arguments->as_json, "Print a JSON object about OUT")->group(kOutputGroup);
  verb.common(add_text(verb, "--topic", request.topic, "TOPIC",
                       "Set the topic of all messages. Default: that of the table")
                  ->group(kContentGroup));
  verb.common(add_text(verb, "--type", request.type, "PACKAGE/TYPE",
                       "Set the type of all messages. Default: that of the table")
                  ->group(kContentGroup));
  verb.common(add_text(verb, "--time-column", request.time_column, "COLUMN",
                       "Read the times of messages from this column. Default: time, log_time or "
                       "log_time_ns")
                  ->group(kContentGroup));
  add_parsed(verb, "--time-unit", request.time_unit_ns, parse_time_unit, "s|ms|us|ns",
             "Set the unit of times and durations that are numbers. Default: s for numbers with "
             "a decimal point, else ns")
      ->group(kContentGroup);
  verb.common(verb.add_flag("--ignore-columns", request.ignores_columns,
                            "Ignore columns that fit no field. Default: they are an error")
                  ->group(kContentGroup));
  add_parsed(verb, "--delimiter", arguments->open.delimiter, parse_delimiter, "CHARACTER|tab",
             "Set what separates the values of CSV. Default: a comma; a tab for .tsv")
      ->group(kContentGroup);
  add_text(verb, "--encoding", arguments->encoding, "ros1|cdr|protobuf|json",
           "Set the encoding of messages. Default: that of the table; for --type, ros1 in .bag "
           "and cdr in other formats")
      ->group(kContentGroup);
  add_definitions(verb, arguments->definitions);
  add_storage(verb, arguments->target.write, "none");
}

}  // namespace kitbag::cli
