#include <algorithm>
#include <string_view>

#include "cli/command_line/options.h"
#include "cli/command_line/verb.h"
#include "cli/verbs.h"
#include "kitbag/calls.h"

// Options that cannot work together are refused before the recording begins. A recorder is started
// and left alone, perhaps for weeks, so what could go wrong silently must not start: retention of a
// single file that cannot be deleted, --force beside uploads, an option of uploads without a
// target.

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
nobody reads its output. PATH may be in an object store, s3://BUCKET/KEY: each file appears there
when it is complete. With --upload, no file is deleted before it is verified in the target; at the
end it waits until all are uploaded, and one more signal leaves them to the next start. Keys on a
terminal: space pauses and resumes, s writes a snapshot, q quits.

More examples:
  kitbag record                                  all topics, to 2026-11-20_14-30-00.mcap
  kitbag record --from ros2://7 --encoding json -o run.mcap
  kitbag record --from ros2:// --from foxglove+ws://robot2:8765
  kitbag record --from 'mqtt://broker/robot1?client=recorder'
  kitbag record --split-duration 1m --min-free-space 5GB --upload 's3://bags/{robot}/{date}/'
  kitbag record --join runs/today/               one bag of several recorders
  kitbag record --snapshot 30s --control /tmp/recorder)"};

void add_files(Verb& verb, RecordTarget& target) {
  CLI::Option* output =
      add_text(verb, "-o,--output", target.path, "PATH",
               "Write X.mcap (with a split, X_0.mcap, X_1.mcap, ...), or a rosbag2 directory "
               "(X/, or X with a split). Default: named by start time")
          ->group(kOutputGroup);
  verb.common(output);
  auto join = [&target](const std::string& directory) {
    target.path = directory;
    target.joins = true;
  };
  add_taken(verb, "--join", join, "DIR",
            "Write to a rosbag2 directory that others record into at the same time, each with "
            "--join and files of its own; it is created unless it exists")
      ->group(kOutputGroup)
      ->excludes(output);
  add_force(verb, target.write.may_replace,
            "Replace an existing file when the new one is complete");
}

/// In ROS every topic begins with a slash, which people leave out. Other systems take names as they
/// are.
void complete_names(std::vector<std::string>& topics, const std::vector<std::string>& from) {
  auto is_ros = [](const std::string& uri) {
    return uri.starts_with("ros") || uri.starts_with("demo:");
  };
  if (!std::all_of(from.begin(), from.end(), is_ros)) return;
  for (std::string& topic : topics) {
    constexpr std::string_view kComplete = "/*?[";
    bool is_complete = topic.empty() || kComplete.find(topic.front()) != std::string_view::npos;
    if (!is_complete) topic.insert(0, 1, '/');
  }
}

void require_upload(const RecordArguments& arguments) {
  if (!arguments.upload.target.empty()) return;
  const char* idle = arguments.upload.bytes_per_second ? "--upload-rate"
                     : !arguments.upload.robot.empty() ? "--robot"
                     : arguments.upload_wait           ? "--upload-wait"
                                                       : nullptr;
  if (idle) throw_invalid(fmt::format("record: {} requires --upload", idle));
}

/// Checks the options of `record` and completes the arguments.
void complete_record(RecordArguments& arguments) {
  Selection& select = arguments.select;
  select.topics.insert(select.topics.end(), arguments.topics.begin(), arguments.topics.end());
  complete_names(select.topics, arguments.from.uris);
  require_upload(arguments);
  //   nothing named          all topics that are not hidden, and a note says so
  //   topics, types, ...     these
  //   --static-topics alone  those in the file
  //   -a                     all topics, and in ROS 2 the hidden ones of services and actions
  bool names_any =
      !select.topics.empty() || !select.topic_expressions.empty() || !select.types.empty();
  bool expects_any = !arguments.expected.empty();
  if (expects_any && !names_any && !arguments.takes_all) {
    for (const ExpectedTopic& each : arguments.expected) select.topics.push_back(each.topic);
  } else if (names_any && arguments.takes_all) {
    throw_invalid("record: -a selects all topics; use either -a or a selection of topics");
  } else if (arguments.takes_all) {
    arguments.from.with_calls = true;
  } else if (!names_any) {
    arguments.takes_all = arguments.takes_all_unasked = true;
  }
  if (!arguments.upload.target.empty() && arguments.target.write.may_replace) {
    throw_invalid(
        "record: --force cannot be used with --upload: a file that is replaced may not "
        "have been uploaded yet");
  }
  if (arguments.target.joins && arguments.snapshot) {
    throw_invalid("record: snapshots cannot be written to a directory; use -o with a file name");
  }
  if (arguments.target.joins && arguments.target.write.may_replace) {
    throw_invalid("record: --join replaces no files; leave out --force");
  }
  // One file cannot be deleted while it is written. Without a name, the files of earlier runs are
  // those that are deleted.
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
  Verb& verb = line.add_verb("record", kLiveVerbs, kRecordText, arguments, record,
                             [arguments] { complete_record(*arguments); });
  add_words(verb, "TOPIC", arguments->topics, "[TOPIC...]",
            "Topics to record, by name or glob; the same as --topics");
  verb.add_flag("-a,--all", arguments->takes_all,
                "Record all topics, and in ROS 2 all services and actions. Default: all topics "
                "that are not hidden")
      ->group(kSelectionGroup);
  Selection& select = arguments->select;
  verb.add_flag_callback(
          "--all-services", [&select] { select.topics.push_back(service_pattern("*")); },
          "Record the events of all services (ROS 2)")
      ->group(kSelectionGroup);
  verb.add_flag_callback(
          "--all-actions", [&select] { select.topics.push_back(action_pattern("*")); },
          "Record the topics of all actions (ROS 2)")
      ->group(kSelectionGroup);
  add_files(verb, arguments->target);
  add_recording(verb, *arguments,
                {.from = "--from",
                 .description = "Record from this system, such as demo:// or "
                                "zmq+tcp://127.0.0.1:7913?bind=1; give the option several times "
                                "to record several systems. Default: ros1:// if ROS_MASTER_URI is "
                                "set, else ros2://",
                 .snapshot = "SIGUSR1, the key s or kitbag control",
                 .resume = "the space key or kitbag control"});
  verb.common(add_parsed(verb, "--duration", arguments->duration, parse_positive_duration,
                         "DURATION", "Stop after this long, such as 30s or 1h")
                  ->group(kRunningGroup));
  add_parsed(verb, "--upload-wait", arguments->upload_wait, parse_duration, "DURATION",
             "Wait at most this long for uploads at the end; leave the rest to the next start. "
             "Default: until all files are uploaded")
      ->group(kUploadGroup);
  add_parsed(verb, "--limit", arguments->limit, parse_positive_size, "N",
             "Record N messages of each topic; stop when all topics have them")
      ->group(kRunningGroup);
  add_control_socket(verb, arguments->control);
  verb.add_flag("--json", arguments->as_json, "Print the status once a second, as one line of JSON")
      ->group(kRunningGroup);
}

}  // namespace kitbag::cli
