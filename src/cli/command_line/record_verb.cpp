#include <span>

#include "cli/command_line/options.h"
#include "cli/command_line/verb.h"
#include "cli/verbs.h"
#include "kitbag/error.h"
#include "kitbag/file.h"
#include "kitbag/rosbag2.h"

namespace kitbag::cli {
namespace {

constexpr VerbText kRecordText{
    .summary = "Record a live system to files.",
    .more = "Ctrl-C ends the recording. Without topics it records all of them.",
    .examples =
        R"(  kitbag record --from 'demo://?seconds=3' -o demo.mcap
  kitbag record /odom '/camera/*' -o run.bag
  kitbag record --split-duration 10m --max-total-size 50GB --min-free-space 5GB)",
    .notes =
        R"(The name of a file ends with .active until the file is complete, except in a rosbag2
directory. SIGINT, SIGTERM and SIGHUP end the recording and complete the files; a second signal, at
least one second later, exits at once and leaves the files incomplete. The recording continues if
nobody reads its output. Keys on a terminal: space pauses and resumes, s writes a snapshot, q quits.

More examples:
  kitbag record                                  all topics, to 2026-11-20_14-30-00.mcap
  kitbag record --from ros2://7 --encoding json -o run.mcap
  kitbag record --snapshot 30s --control /tmp/recorder)"};

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

void add_files(Verb& verb, RecordTarget& target) {
  verb.common(add_text(verb, "-o,--output", target.path, "PATH",
                       "Write to the file X.mcap, or to a rosbag2 directory (X/, or X with a "
                       "split). Default: files named by their start time")
                  ->group(kOutputGroup));
  add_force(verb, target.write.may_replace,
            "Replace an existing file when the new one is complete");
  verb.add_flag_callback(
          "--repeat-latched", [&target] { target.repeat_latched = true; },
          "Repeat the latest latched messages at the beginning of each file (default)")
      ->group(kOutputGroup);
  verb.add_flag_callback(
          "--no-repeat-latched", [&target] { target.repeat_latched = false; },
          "Write latched messages once, to the file that is open when they come")
      ->group(kOutputGroup);
  add_split(verb, target.split);
  add_storage(verb, target.write, "none");
}

/// Checks the options of `record` and completes the arguments.
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
  Verb& verb =
      line.add_verb("record", kLiveVerbs, kRecordText, arguments, record, [arguments, throttles] {
        arguments->throttle = parse_throttles(*throttles);
        complete_record(*arguments);
      });
  add_list(verb, "TOPIC", arguments->topics, "[TOPIC...]",
           "Topics to record, by name or glob; the same as --topics");
  verb.add_flag("-a,--all", arguments->takes_all, "Record all topics (default)")
      ->group(kSelectionGroup);
  add_system(verb, arguments->from, "--from",
             "Record from this system, such as demo:// or zmq+tcp://127.0.0.1:7913?bind=1. "
             "Default: ros1:// if ROS_MASTER_URI is set, else ros2://");
  add_topics(verb, arguments->select);
  verb.add_flag_callback(
          "--include-hidden-topics", [arguments] { arguments->from.parameters["hidden"] = "1"; },
          "Include topics with a part that begins with _, such as those of actions and service "
          "events (ROS 2)")
      ->group(kSelectionGroup);
  add_parsed(verb, "--static-topics,--static-topics-path", arguments->expected, read_static_topics,
             "FILE",
             "Subscribe to the topics in a YAML file, in the format of ros2 bag, before they have "
             "a publisher")
      ->group(kSelectionGroup);
  add_where(verb, arguments->payload.where);
  verb.common(add_throttles(verb, *throttles));
  add_files(verb, arguments->target);
  add_retention(verb, arguments->target);
  verb.common(add_parsed(verb, "--duration", arguments->duration, parse_positive_duration,
                         "DURATION", "Stop after this long, such as 30s or 1h")
                  ->group(kRunningGroup));
  verb.common(add_snapshot(verb, arguments->snapshot, "SIGUSR1, the key s or kitbag control"));
  add_parsed(verb, "--limit", arguments->limit, parse_positive_size, "N",
             "Record N messages of each topic; stop when all topics have them")
      ->group(kRunningGroup);
  add_start_paused(verb, arguments->starts_paused, "the space key or kitbag control");
  add_control_socket(verb, arguments->control);
  verb.add_flag("--json", arguments->as_json, "Print the status once a second, as one line of JSON")
      ->group(kRunningGroup);
  verb.common(verb.add_flag("--use-sim-time", arguments->uses_sim_time,
                            "Use the time on /clock as log time; record /clock too")
                  ->group(kSystemGroup));
  add_feed(verb, arguments->feed);
  add_encoding(verb, arguments->payload.transcoding);
  add_on_error(verb, arguments->payload.on_error,
               "Handle what cannot be decoded: record the channel unchanged (raw); skip and count "
               "the messages; or stop. Default: raw");
  add_definitions(verb, arguments->payload.definitions);
  add_evolution(verb, arguments->payload.transcoding);
}

}  // namespace kitbag::cli
