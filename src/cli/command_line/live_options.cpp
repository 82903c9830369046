#include <charconv>

#include "cli/command_line/options.h"
#include "kitbag/error.h"

namespace kitbag::cli {
namespace {

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

}  // namespace

void add_system(Verb& verb, SystemOptions& system, const char* name, const char* description) {
  verb.common(add_text(verb, name, system.uri, "URI", description)->group(kSystemGroup));
  auto add_parameter = [&](const char* option, const char* parameter, const char* value,
                           const char* what) {
    auto take = [&system, parameter](const std::string& text) {
      system.parameters[parameter] = text;
    };
    add_taken(verb, option, take, value, what)->group(kSystemGroup);
  };
  add_parameter("--node-name", "node", "NAME",
                "Set the name of kitbag's ROS node. Default: kitbag in ROS 1, kitbag_recorder or "
                "kitbag_player in ROS 2");
  add_parameter(
      "--qos-overrides,--qos-profile-overrides-path", "qos", "FILE",
      "Read the quality of service of topics from a YAML file in the format of ros2 bag (ROS 2)");
}

void add_feed(Verb& verb, FeedOptions& feed) {
  add_parsed(verb, "--buffer", feed.bytes, parse_positive_size, "SIZE",
             "Set the memory for messages that wait to be written or sent. Default: 64MiB")
      ->group(kSystemGroup);
  add_choice<std::optional<OnFull>>(
      verb, "--on-full", feed.on_full,
      {{"block", OnFull::block},
       {"drop-oldest", OnFull::drop_oldest},
       {"drop-newest", OnFull::drop_newest}},
      "Handle a full buffer: make senders wait, or drop and count messages. Default: block if "
      "senders can wait, else drop-oldest")
      ->group(kSystemGroup);
}

CLI::Option* add_throttles(Verb& verb, std::vector<std::string>& into) {
  return add_list(verb, "--throttle", into, "TOPIC=HZ...",
                  "Limit the messages per second of a topic, given by name or glob")
      ->group(kSelectionGroup);
}

std::vector<Throttle> parse_throttles(const std::vector<std::string>& texts) {
  std::vector<Throttle> throttles;
  throttles.reserve(texts.size());
  for (const std::string& text : texts) throttles.push_back(parse_throttle(text));
  return throttles;
}

void add_retention(Verb& verb, RecordTarget& target) {
  add_parsed(verb, "--max-files", target.keep.files, parse_positive_size, "N",
             "Keep at most N files; delete the oldest")
      ->group(kRetentionGroup);
  verb.common(add_parsed(verb, "--max-total-size", target.keep.bytes, parse_positive_size, "SIZE",
                         "Keep at most SIZE in total, such as 50GB; delete the oldest files")
                  ->group(kRetentionGroup));
  add_parsed(verb, "--max-age", target.keep.age, parse_positive_duration, "DURATION",
             "Delete files that are older than this")
      ->group(kRetentionGroup);
  verb.common(add_parsed(verb, "--min-free-space", target.min_free_bytes, parse_size, "SIZE",
                         "Stop before less than SIZE is free on the disk. With --max-files, "
                         "--max-total-size or --max-age, delete the oldest files first")
                  ->group(kRetentionGroup));
}

CLI::Option* add_snapshot(Verb& verb, std::optional<SnapshotLimits>& snapshot,
                          const std::string& triggers) {
  return add_parsed(verb, "--snapshot", snapshot, parse_snapshot, "DURATION|SIZE",
                    fmt::format("Keep this much in memory; write it to a file on {}", triggers))
      ->group(kRunningGroup);
}

void add_start_paused(Verb& verb, bool& starts_paused, const std::string& triggers) {
  verb.add_flag("--start-paused", starts_paused,
                fmt::format("Skip messages until {} resumes the recording", triggers))
      ->group(kRunningGroup);
}

void add_control_socket(Verb& verb, std::string& path) {
  add_text(verb, "--control", path, "SOCKET",
           "Accept commands on SOCKET; see kitbag control --help")
      ->group(kRunningGroup);
}

}  // namespace kitbag::cli
