#include <span>

#include "cli/options/live_system.h"
#include "cli/options/options.h"
#include "cli/verbs.h"
#include "kitbag/error.h"
#include "kitbag/file.h"
#include "kitbag/rosbag2.h"

namespace kitbag::cli {
namespace {

constexpr const char* kFilesGroup = "Where it goes";
constexpr const char* kKeepGroup = "What is kept: the oldest files go";
constexpr const char* kSystemGroup = "The live system";
constexpr const char* kRunningGroup = "While it runs";

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
  throw_invalid(fmt::format("--throttle takes TOPIC=HZ, not \"{}\"", text));
}

void add_throttles(CLI::App& app, std::vector<std::string>& into) {
  add_list(app, "--throttle", into, "TOPIC=HZ...",
           "At most so many messages a second of a topic, by\nname or glob")
      ->group("Which topics");
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
                "As which it shows itself there; kitbag if not given");
  add_parameter("--qos-overrides,--qos-profile-overrides-path", "qos", "FILE",
                "Quality of service by topic, in YAML as ros2 bag\ntakes it (ROS 2)");
}

/// "static_topics_and_types_list" of a file.
std::vector<ExpectedTopic> read_static_topics(const std::string& path) {
  constexpr std::uint64_t kMostBytes = 16 << 20;
  auto file = open_file(path);
  if (file->size() > kMostBytes) {
    throw Error(ErrorCode::invalid, "this is too long for a file of topics", path);
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
  add_text(app, "--control", path, "SOCKET", "Take commands at SOCKET; see kitbag control --help")
      ->group(kRunningGroup);
}

void add_files(CLI::App& app, RecordTarget& target) {
  add_text(app, "-o,--output", target.path, "PATH",
           "X.mcap: that file; X with a split, or X/: a\ndirectory of rosbag2; if not given, files "
           "named by\ntheir time")
      ->group(kFilesGroup);
  add_force(app, target.write.may_replace,
            "Replace a file that exists, when its successor is whole")
      ->group(kFilesGroup);
  add_split(app, target.split, kFilesGroup);
  app.add_flag_callback(
         "--repeat-latched", [&target] { target.repeat_latched = true; },
         "Each file begins with the latest latched messages,\nas it does if not told otherwise")
      ->group(kFilesGroup);
  app.add_flag_callback(
         "--no-repeat-latched", [&target] { target.repeat_latched = false; }, "It does not")
      ->group(kFilesGroup);
  add_storage(app, target.write, "none");
}

void add_keep(CLI::App& app, RecordTarget& target) {
  add_parsed(app, "--max-files", target.keep.files, parse_positive_size, "N",
             "Beyond so many files")
      ->group(kKeepGroup);
  add_parsed(app, "--max-total-size", target.keep.bytes, parse_positive_size, "SIZE",
             "Beyond this size of all together")
      ->group(kKeepGroup);
  add_parsed(app, "--max-age", target.keep.age, parse_positive_duration, "DURATION",
             "When they are older")
      ->group(kKeepGroup);
  add_parsed(app, "--min-free-space", target.min_free_bytes, parse_size, "SIZE",
             "Below it on the disk; when no old ones are left,\nor none may go, the recording ends")
      ->group(kKeepGroup);
}

void add_feed(CLI::App& app, FeedOptions& feed) {
  add_parsed(app, "--buffer", feed.bytes, parse_positive_size, "SIZE",
             "Memory for messages that wait for where they go;\n64MiB if not given")
      ->group(kSystemGroup);
  add_choice<std::optional<OnFull>>(app, "--on-full", feed.on_full,
                                    {{"block", OnFull::block},
                                     {"drop-oldest", OnFull::drop_oldest},
                                     {"drop-newest", OnFull::drop_newest}},
                                    "When it is full: senders wait, or messages go and\nare "
                                    "counted; if not given, block where senders can\nwait, else "
                                    "drop-oldest")
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
    throw_invalid("record: -a records all topics; leave out either -a or the topics");
  } else if (!names_any && !arguments.takes_all) {
    arguments.takes_all = arguments.takes_all_unasked = true;
  }
  if (arguments.uses_sim_time && !arguments.takes_all) select.topics.emplace_back("/clock");
  bool keeps_some = arguments.target.keep.any();
  if (keeps_some && !arguments.target.split.any() && !arguments.snapshot &&
      !arguments.target.path.empty()) {
    throw_invalid("record: of one file nothing can go; split it with --split-size, for example");
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
  add_list(app, "TOPIC", arguments->topics, "[TOPIC...]", "Topics, by name or glob");
  app.add_flag("-a,--all", arguments->takes_all, "All topics, which is the default");
  add_system(
      app, arguments->from, "--from",
      "Such as demo:// or zmq+tcp://127.0.0.1:7913?bind=1;\nros1:// or ros2:// if not given");
  app.add_flag_callback(
         "--include-hidden-topics", [arguments] { arguments->from.parameters["hidden"] = "1"; },
         "Also topics with a part that begins with _, as those\nof actions and service events "
         "(ROS 2)")
      ->group("Which topics");
  add_parsed(app, "--static-topics,--static-topics-path", arguments->expected, read_static_topics,
             "FILE", "Listen to these before anybody sends on them; YAML\nas ros2 bag takes it")
      ->group("Which topics");
  add_feed(app, arguments->feed);
  add_topics(app, arguments->select);
  add_throttles(app, *throttles);
  add_files(app, arguments->target);
  add_keep(app, arguments->target);
  add_parsed(app, "--snapshot", arguments->snapshot, parse_snapshot, "DURATION|SIZE",
             "Keep only so much in memory, and write it to a file\nwhen told to: by SIGUSR1, the "
             "key s or kitbag control")
      ->group(kRunningGroup);
  add_parsed(app, "--duration", arguments->duration, parse_positive_duration, "DURATION",
             "End after it")
      ->group(kRunningGroup);
  add_parsed(app, "--limit", arguments->limit, parse_positive_size, "N",
             "Take N messages of each topic; end when all have them")
      ->group(kRunningGroup);
  app.add_flag("--start-paused", arguments->starts_paused,
               "Leave messages out until the space key or kitbag\ncontrol resumes")
      ->group(kRunningGroup);
  app.add_flag("--use-sim-time", arguments->uses_sim_time,
               "Log times are those that /clock tells, which is\nrecorded too")
      ->group(kSystemGroup);
  add_control_socket(app, arguments->control);
  app.add_flag("--json", arguments->as_json, "Tell how it goes as JSON, a line each second")
      ->group(kRunningGroup);
  add_transcoding(
      app, arguments->payload,
      "With what cannot be decoded: leave its channel as\nit is (raw, if not given), leave "
      "it out and count it\n(skip), or stop");
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
  add_list(app, "BAG", arguments->bags, "BAG...", "Bags to play, as one")->required();
  add_system(app, arguments->to, "--to",
             "Such as zmq+tcp://127.0.0.1:7913; ros1:// or\nros2:// if not given");
  app.add_flag("--wait-for-subscribers", play_options.awaits_subscribers,
               "Begin when somebody listens")
      ->group(kSystemGroup);
  constexpr const char* kTimeGroup = "When";
  auto rate = [](const std::string& text) { return parse_rate(text, Player::kMostRate); };
  auto hz = [](const std::string& text) { return parse_rate(text, kMostClockHz); };
  add_parsed(app, "--rate", play_options.rate, rate, "N", "N times as fast as it happened")
      ->group(kTimeGroup);
  add_parsed(app, "--delay", play_options.delay, parse_duration, "DURATION",
             "Wait before the start")
      ->group(kTimeGroup);
  app.add_flag("--loop", play_options.loops, "Again and again")->group(kTimeGroup);
  add_parsed(app, "--skip-empty", play_options.skip_empty, parse_positive_duration, "DURATION",
             "Leave out gaps that are longer")
      ->group(kTimeGroup);
  app.add_flag("--start-paused,--step", play_options.starts_paused,
               "Wait for the space key or kitbag control; the key s\nsends one message after "
               "another")
      ->group(kRunningGroup);
  add_parsed(app, "--clock", play_options.clock.hz, hz, "[HZ]",
             "Tell where it is on /clock, so often a second; 40 if\nnot given")
      ->expected(0, 1)
      ->default_str(kUsualClockHz)
      ->group(kTimeGroup);
  add_list(app, "--until-topic", play_options.until_topics, "TOPIC...",
           "Pause behind each message on it")
      ->group(kRunningGroup);
  add_control_socket(app, arguments->control);
  add_parsed(app, "--read-ahead", play_options.read_ahead_bytes, parse_positive_size, "SIZE",
             "Memory for what comes next; 64MiB if not given")
      ->group(kRunningGroup);
  add_topics(app, arguments->select.select);
  add_renames(app, "--rename,--remap", *renames);
  add_range(app, arguments->select);
  add_by(app, arguments->select.by);
  add_transcoding(
      app, arguments->payload,
      "With what cannot be decoded: send its channel as it\nis (raw, if not given), leave "
      "it out and count it\n(skip), or stop");
  add_strict(app, arguments->reading);
  add_reading(app, arguments->reading);
}

void add_pipe(CommandLine& line) {
  auto arguments = std::make_shared<PipeArguments>();
  auto throttles = std::make_shared<std::vector<std::string>>();
  CLI::App& app =
      line.add_verb("pipe", help::kPipe, help::kPipeFooter, arguments, pipe,
                    [arguments, throttles] { arguments->throttle = parse_throttles(*throttles); });
  add_text(app, "FROM", arguments->from, "FROM", "The system to listen to")->required();
  add_text(app, "TO", arguments->to, "TO", "The system to speak to")->required();
  add_feed(app, arguments->feed);
  add_topics(app, arguments->select);
  add_throttles(app, *throttles);
  add_transcoding(
      app, arguments->payload,
      "With what cannot be decoded: send its channel as it\nis (raw, if not given), leave "
      "it out and count it\n(skip), or stop");
}

void add_control(CommandLine& line) {
  auto arguments = std::make_shared<ControlArguments>();
  CLI::App& app =
      line.add_verb("control", help::kControl, help::kControlFooter, arguments, control);
  add_text(app, "SOCKET", arguments->socket, "SOCKET", "What --control of the other was given")
      ->required();
  add_list(app, "COMMAND", arguments->words, "COMMAND", "The command, and what goes with it")
      ->required();
}

}  // namespace kitbag::cli
