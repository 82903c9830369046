#include <span>

#include "cli/command_line/options.h"
#include "cli/command_line/verb.h"
#include "cli/verbs.h"
#include "kitbag/error.h"
#include "kitbag/file.h"
#include "kitbag/rosbag2.h"

namespace kitbag::cli {
namespace {

constexpr const char* kFilesGroup = "Output";
constexpr const char* kKeepGroup = "Retention: delete the oldest files";

/// "30s" or "100MB".
SnapshotLimits parse_snapshot(const std::string& text) {
  SnapshotLimits limits;
  try {
    limits.duration = parse_positive_duration(text);
  } catch (const Error&) {
    limits.bytes = parse_positive_size(text);
  }
  return limits;
}

/// "static_topics_and_types_list" of a file.
std::vector<ExpectedTopic> read_static_topics(const std::string& path) {
  constexpr std::uint64_t kMostBytes = 16 << 20;
  auto file = open_file(path);
  if (file->size() > kMostBytes) {
    throw Error(ErrorCode::invalid, "the file is too large for a list of topics", path);
  }
  std::string text(static_cast<std::size_t>(file->size()), '\0');
  text.resize(file->read(0, std::as_writable_bytes(std::span(text))));
  try {
    return rosbag2::parse_static_topics(text);
  } catch (const Error& error) {
    throw Error(error.code(), path + ": " + error.message());
  }
}

void add_files(CLI::App& app, RecordTarget& target) {
  add_text(app, "-o,--output", target.path, "PATH",
           "Write to the file X.mcap, or to a rosbag2 directory\n(X/, or X with a split). Default: "
           "files named by\ntheir start time")
      ->group(kFilesGroup);
  add_force(app, target.write.may_replace, "Replace an existing file when the new one is complete")
      ->group(kFilesGroup);
  add_split(app, target.split, kFilesGroup);
  app.add_flag_callback(
         "--repeat-latched", [&target] { target.repeat_latched = true; },
         "Repeat the latest latched messages at the beginning\nof each file (default)")
      ->group(kFilesGroup);
  app.add_flag_callback(
         "--no-repeat-latched", [&target] { target.repeat_latched = false; },
         "Do not repeat latched messages")
      ->group(kFilesGroup);
  add_storage(app, target.write, "none");
}

void add_keep(CLI::App& app, RecordTarget& target) {
  add_parsed(app, "--max-files", target.keep.files, parse_positive_size, "N",
             "Keep at most N files")
      ->group(kKeepGroup);
  add_parsed(app, "--max-total-size", target.keep.bytes, parse_positive_size, "SIZE",
             "Keep at most SIZE in total")
      ->group(kKeepGroup);
  add_parsed(app, "--max-age", target.keep.age, parse_positive_duration, "DURATION",
             "Delete files that are older than this")
      ->group(kKeepGroup);
  add_parsed(app, "--min-free-space", target.min_free_bytes, parse_size, "SIZE",
             "Stop before less than SIZE is free on the disk. With\nan option above, delete the "
             "oldest files first")
      ->group(kKeepGroup);
}

/// What the options of `record` mean together.
void complete_record(RecordArguments& arguments) {
  Selection& select = arguments.select;
  select.topics.insert(select.topics.end(), arguments.topics.begin(), arguments.topics.end());
  bool names_any =
      !select.topics.empty() || !select.topic_expressions.empty() || !select.types.empty();
  bool expects_any = !arguments.expected.empty();
  if (expects_any && !names_any && !arguments.takes_all) {
    for (const ExpectedTopic& each : arguments.expected) select.topics.push_back(each.topic);
  } else if (names_any && arguments.takes_all) {
    throw_invalid("record: -a selects all topics; use either -a or a selection of topics");
  } else if (!names_any && !arguments.takes_all) {
    arguments.takes_all = arguments.takes_all_unasked = true;
  }
  if (arguments.uses_sim_time && !arguments.takes_all) select.topics.emplace_back("/clock");
  bool keeps_some = arguments.target.keep.any();
  if (keeps_some && !arguments.target.split.any() && !arguments.snapshot &&
      !arguments.target.path.empty()) {
    throw_invalid(
        "record: retention limits require several files; split the recording, for example with "
        "--split-size");
  }
}

}  // namespace

void add_record(CommandLine& line) {
  auto arguments = std::make_shared<RecordArguments>();
  auto throttles = std::make_shared<std::vector<std::string>>();
  CLI::App& app = line.add_verb("record", help::kRecord, help::kRecordFooter, arguments, record,
                                [arguments, throttles] {
                                  arguments->throttle = parse_throttles(*throttles);
                                  complete_record(*arguments);
                                });
  add_list(app, "TOPIC", arguments->topics, "[TOPIC...]", "Topics to record, by name or glob");
  app.add_flag("-a,--all", arguments->takes_all, "Record all topics (default)");
  add_system(app, arguments->from, "--from",
             "Record from this system, such as demo:// or\nzmq+tcp://127.0.0.1:7913?bind=1. "
             "Default: ros1:// if\nROS_MASTER_URI is set, else ros2://");
  app.add_flag_callback(
         "--include-hidden-topics", [arguments] { arguments->from.parameters["hidden"] = "1"; },
         "Include topics with a part that begins with _, such\nas those of actions and service "
         "events (ROS 2)")
      ->group("Topic selection");
  add_parsed(app, "--static-topics,--static-topics-path", arguments->expected, read_static_topics,
             "FILE",
             "Subscribe to the topics in a YAML file, in the format\nof ros2 bag, before they have "
             "a publisher")
      ->group("Topic selection");
  add_feed(app, arguments->feed);
  add_topics(app, arguments->select);
  add_throttles(app, *throttles);
  add_files(app, arguments->target);
  add_keep(app, arguments->target);
  add_parsed(
      app, "--snapshot", arguments->snapshot, parse_snapshot, "DURATION|SIZE",
      "Keep this much in memory; write it to a file on\nSIGUSR1, the key s or kitbag control")
      ->group(kRunningGroup);
  add_parsed(app, "--duration", arguments->duration, parse_positive_duration, "DURATION",
             "Stop after this long")
      ->group(kRunningGroup);
  add_parsed(app, "--limit", arguments->limit, parse_positive_size, "N",
             "Record N messages of each topic; stop when all topics\nhave them")
      ->group(kRunningGroup);
  app.add_flag("--start-paused", arguments->starts_paused,
               "Skip messages until the space key or kitbag control\nresumes the recording")
      ->group(kRunningGroup);
  app.add_flag("--use-sim-time", arguments->uses_sim_time,
               "Use the time on /clock as log time; record /clock too")
      ->group(kSystemGroup);
  add_control_socket(app, arguments->control);
  app.add_flag("--json", arguments->as_json, "Print the status once a second, as one line of JSON")
      ->group(kRunningGroup);
  add_transcoding(app, arguments->payload,
                  "Handle what cannot be decoded: record the channel\nunchanged (raw); skip and "
                  "count the messages; or stop.\nDefault: raw");
}

}  // namespace kitbag::cli
