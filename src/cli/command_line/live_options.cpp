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

}  // namespace

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

void add_control_socket(CLI::App& app, std::string& path) {
  add_text(app, "--control", path, "SOCKET", "Accept commands on SOCKET; see kitbag control --help")
      ->group(kRunningGroup);
}

}  // namespace kitbag::cli
