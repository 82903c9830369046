#include <charconv>
#include <map>
#include <string>
#include <vector>

#include "cli/command_line/options.h"
#include "kitbag/error.h"

namespace kitbag::cli {
namespace {

/// The last sign, since the name of a topic may have one.
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

}  // namespace

void add_ros(Verb& verb, std::map<std::string, std::string>& parameters) {
  // Parameters of the system's URI, which its transport checks: only that knows what it takes.
  auto add_parameter = [&](const char* option, const char* parameter, const char* value,
                           const char* what) {
    auto take = [&parameters, parameter](const std::string& text) { parameters[parameter] = text; };
    add_taken(verb, option, take, value, what)->group(kSystemGroup);
  };
  add_parameter("--node-name", "node", "NAME",
                "Set the name of kitbag's ROS node. Default: kitbag in ROS 1, kitbag_recorder or "
                "kitbag_player in ROS 2");
  add_parameter(
      "--qos-overrides,--qos-profile-overrides-path", "qos", "FILE",
      "Read the quality of service of topics from a YAML file in the format of ros2 bag (ROS 2)");
}

void add_hidden_topics(Verb& verb, std::map<std::string, std::string>& parameters) {
  verb.add_flag_callback(
          "--include-hidden-topics", [&parameters] { parameters["hidden"] = "1"; },
          "Include topics with a part that begins with _, such as those of actions and service "
          "events (ROS 2)")
      ->group(kSelectionGroup);
}

void add_system(Verb& verb, SystemOptions& system, const char* name, const char* description) {
  auto take = [&system](const std::string& uri) { system.uris = {uri}; };
  verb.common(add_taken(verb, name, take, "URI", description)->group(kSystemGroup));
  add_ros(verb, system.parameters);
}

void add_systems(Verb& verb, SystemOptions& systems, const char* name, const char* description) {
  verb.common(add_list(verb, name, systems.uris, "URI", description)
                  ->allow_extra_args(false)  // what follows the URI is no other one
                  ->group(kSystemGroup));
  add_ros(verb, systems.parameters);
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

CLI::Option* add_throttles(Verb& verb, std::vector<Throttle>& into) {
  auto take = [&into](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      for (const std::string& word : split_words(text)) into.push_back(parse_throttle(word));
    }
  };
  return verb
      .add_option_function<std::vector<std::string>>(
          "--throttle", take, "Limit the messages per second of a topic, given by name or glob")
      ->transform(unmarked)
      ->option_text("TOPIC=HZ...")
      ->group(kSelectionGroup);
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
