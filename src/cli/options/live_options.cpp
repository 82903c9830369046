#include <span>

#include "cli/options/live_system.h"
#include "cli/options/options.h"
#include "cli/verbs.h"
#include "kitbag/error.h"
#include "kitbag/file.h"
#include "kitbag/rosbag2.h"

namespace kitbag::cli {
namespace {

constexpr const char* kFilesGroup = "Output";
constexpr const char* kKeepGroup = "Retention: delete the oldest files";
constexpr const char* kSystemGroup = "Live system";
constexpr const char* kRunningGroup = "While running";

constexpr double kMostClockHz = 10'000;
constexpr const char* kUsualClockHz = "40";

Throttle parse_throttle(const std::string& text) {
  std::size_t sign = text.rfind('=');
  double hz = 0;
  const char* end = text.data() + text.size();
  if (sign != std::string::npos && sign > 0) {
    auto [rest, error] = std::from_chars(text.data() + sign + 1, end, hz);
    if (error == std::errc() && rest == end && hz > 0) return {text.substr(0, sign), hz};
  }
  throw_invalid(fmt::format("--throttle: expected TOPIC=HZ, got \"{}\"", text));
}

void add_throttles(CLI::App& app, std::vector<std::string>& into) {
  add_list(app, "--throttle", into, "TOPIC=HZ...",
           "Limit the messages per second of a topic, given by\nname or glob")
      ->group("Topic selection");
}

std::vector<Throttle> parse_throttles(const std::vector<std::string>& texts) {
  std::vector<Throttle> throttles;
  throttles.reserve(texts.size());
  for (const std::string& text : texts) throttles.push_back(parse_throttle(text));
  return throttles;
}

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

void add_system(CLI::App& app, SystemOptions& system, const char* name, const char* description) {
  add_text(app, name, system.uri, "URI", description)->group(kSystemGroup);
  auto add_parameter = [&](const char* option, const char* parameter, const char* value,
                           const char* what) {
    auto take = [&system, parameter](const std::string& text) {
      system.parameters[parameter] = text;
    };
    add_taken(app, option, take, value, what)->group(kSystemGroup);
  };
  add_parameter("--node-name", "node", "NAME",
                "Set the name of kitbag's ROS node. Default: kitbag in\nROS 1, kitbag_recorder or "
                "kitbag_player in ROS 2");
  add_parameter(
      "--qos-overrides,--qos-profile-overrides-path", "qos", "FILE",
      "Read the quality of service of topics from a YAML\nfile in the format of ros2 bag (ROS 2)");
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

void add_control_socket(CLI::App& app, std::string& path) {
  add_text(app, "--control", path, "SOCKET", "Accept commands on SOCKET; see kitbag control --help")
      ->group(kRunningGroup);
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

void add_feed(CLI::App& app, FeedOptions& feed) {
  add_parsed(app, "--buffer", feed.bytes, parse_positive_size, "SIZE",
             "Set the memory for messages that wait to be written\nor sent. Default: 64MiB")
      ->group(kSystemGroup);
  add_choice<std::optional<OnFull>>(
      app, "--on-full", feed.on_full,
      {{"block", OnFull::block},
       {"drop-oldest", OnFull::drop_oldest},
       {"drop-newest", OnFull::drop_newest}},
      "Handle a full buffer: make senders wait, or drop and\ncount messages. Default: block if "
      "senders can wait,\nelse drop-oldest")
      ->group(kSystemGroup);
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

void add_play(CommandLine& line) {
  auto arguments = std::make_shared<PlayArguments>();
  auto renames = std::make_shared<std::vector<std::string>>();
  arguments->select.with_latched = true;
  PlayOptions& play_options = arguments->play;
  CLI::App& app = line.add_verb("play", help::kPlay, std::string(help::kTimes) + help::kPlayFooter,
                                arguments, play, [arguments, renames] {
                                  require_plain_range(arguments->select);
                                  arguments->renames = parse_renames(*renames);
                                });
  add_list(app, "BAG", arguments->bags, "BAG...", "Bags to play, merged by time")->required();
  add_system(app, arguments->to, "--to",
             "Play to this system, such as zmq+tcp://127.0.0.1:7913.\nDefault: ros1:// if "
             "ROS_MASTER_URI is set, else\nros2://");
  app.add_flag("--wait-for-subscribers", play_options.awaits_subscribers,
               "Start when every topic has a subscriber")
      ->group(kSystemGroup);
  constexpr const char* kTimeGroup = "Timing";
  auto rate = [](const std::string& text) { return parse_rate(text, Player::kMostRate); };
  auto hz = [](const std::string& text) { return parse_rate(text, kMostClockHz); };
  add_parsed(app, "--rate", play_options.rate, rate, "N",
             "Play N times as fast as recorded. Default: 1")
      ->group(kTimeGroup);
  add_parsed(app, "--delay", play_options.delay, parse_duration, "DURATION",
             "Wait this long before the start")
      ->group(kTimeGroup);
  app.add_flag("--loop", play_options.loops, "Loop until stopped")->group(kTimeGroup);
  add_parsed(app, "--skip-empty", play_options.skip_empty, parse_positive_duration, "DURATION",
             "Skip gaps that are longer than this")
      ->group(kTimeGroup);
  app.add_flag("--start-paused,--step", play_options.starts_paused,
               "Wait for the space key or kitbag control; the key s\nsends the next message")
      ->group(kRunningGroup);
  add_parsed(
      app, "--clock", play_options.clock.hz, hz, "[HZ]",
      "Publish the position on /clock, HZ times a second.\nDefault: not published; 40 without HZ")
      ->expected(0, 1)
      ->default_str(kUsualClockHz)
      ->group(kTimeGroup);
  add_list(app, "--until-topic", play_options.until_topics, "TOPIC...",
           "Pause after each message on these topics")
      ->group(kRunningGroup);
  add_control_socket(app, arguments->control);
  add_parsed(app, "--read-ahead", play_options.read_ahead_bytes, parse_positive_size, "SIZE",
             "Set the memory for messages that are read ahead.\nDefault: 64MiB")
      ->group(kRunningGroup);
  add_topics(app, arguments->select.select);
  add_renames(app, "--rename,--remap", *renames);
  add_range(app, arguments->select);
  add_by(app, arguments->select.by);
  add_transcoding(app, arguments->payload,
                  "Handle what cannot be decoded: send the channel\nunchanged (raw); skip and "
                  "count the messages; or stop.\nDefault: raw");
  add_strict(app, arguments->reading);
  add_reading(app, arguments->reading);
}

void add_pipe(CommandLine& line) {
  auto arguments = std::make_shared<PipeArguments>();
  auto throttles = std::make_shared<std::vector<std::string>>();
  CLI::App& app =
      line.add_verb("pipe", help::kPipe, help::kPipeFooter, arguments, pipe,
                    [arguments, throttles] { arguments->throttle = parse_throttles(*throttles); });
  add_text(app, "FROM", arguments->from, "FROM", "The system to receive from")->required();
  add_text(app, "TO", arguments->to, "TO", "The system to send to")->required();
  add_feed(app, arguments->feed);
  add_topics(app, arguments->select);
  add_throttles(app, *throttles);
  add_transcoding(app, arguments->payload,
                  "Handle what cannot be decoded: send the channel\nunchanged (raw); skip and "
                  "count the messages; or stop.\nDefault: raw");
}

void add_control(CommandLine& line) {
  auto arguments = std::make_shared<ControlArguments>();
  CLI::App& app =
      line.add_verb("control", help::kControl, help::kControlFooter, arguments, control);
  add_text(app, "SOCKET", arguments->socket, "SOCKET",
           "The SOCKET of the recorder's or player's --control")
      ->required();
  add_list(app, "COMMAND", arguments->words, "COMMAND", "The command and its arguments")
      ->required();
}

}  // namespace kitbag::cli
