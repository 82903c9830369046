#include "cli/options/live_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "cli/terminal/print.h"
#include "kitbag/error.h"
#include "kitbag/live.h"
#include "kitbag/open.h"
#include "kitbag/play.h"
#include "kitbag/session.h"
#include "kitbag/text.h"

namespace kitbag::cli {

namespace {

/// Has no effect on other systems than ROS 2, and where the URI says itself what is hidden.
std::string with_hidden_calls(const std::string& uri) {
  constexpr const char* kHidden = "hidden";
  auto location = location_of(uri);
  bool can_hide = location && location->scheme == "ros2";
  if (!can_hide || location->parameters.contains(kHidden)) return uri;
  return with_parameter(uri, kHidden, "calls");
}

/// The option that a parameter of ROS comes from.
std::string option_of(const std::string& parameter) {
  constexpr std::pair<std::string_view, const char*> kOptions[] = {
      {"node", "--node-name"},
      {"qos", "--qos-overrides"},
      {"hidden", "--include-hidden-topics"},
      {"service_requests", "--publish-service-requests"},
      {"action_requests", "--send-actions-as-client"}};
  for (const auto& [name, option] : kOptions) {
    if (name == parameter) return option;
  }
  return parameter;
}

}  // namespace

std::vector<std::string> SystemOptions::complete() const {
  const char* master = std::getenv("ROS_MASTER_URI");
  std::vector<std::string> complete = uris;
  if (complete.empty()) complete.emplace_back(master && *master ? "ros1://" : "ros2://");
  auto is_ros = [](const std::string& uri) { return uri.starts_with("ros"); };
  if (!parameters.empty() && std::none_of(complete.begin(), complete.end(), is_ros)) {
    throw Error(ErrorCode::invalid, fmt::format("{}: none of the systems is of ROS",
                                                option_of(parameters.begin()->first)));
  }
  for (std::string& uri : complete) {
    if (!is_ros(uri)) continue;
    for (const auto& [name, value] : parameters) uri = with_parameter(uri, name, value);
    if (with_calls) uri = with_hidden_calls(uri);
  }
  return complete;
}

bool is_live_system(const std::string& uri, const Session& session) {
  auto location = location_of(uri);
  if (!location) return false;
  std::vector<std::string> schemes = session.transport_schemes();
  // Their plugins may not be installed, which is then said; otherwise it would be a file that is
  // not there.
  schemes.insert(schemes.end(), {"ros1", "ros2"});
  return std::find(schemes.begin(), schemes.end(), location->scheme) != schemes.end();
}

double parse_rate(const std::string& text, double most) {
  double number = 0;
  const char* end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && rest == end && number >= Player::kLeastRate && number <= most) {
    return number;
  }
  throw Error(ErrorCode::invalid,
              fmt::format("invalid rate \"{}\"; expected a number above 0", text));
}

std::string topics_instead(const Selection& select, const std::vector<std::string>& known) {
  std::vector<std::string> lacking;
  for (const std::string& wanted : select.topics) {
    bool is_there = std::any_of(known.begin(), known.end(), [&](const std::string& topic) {
      return matches_glob(wanted, topic);
    });
    if (!is_there) lacking.push_back(wanted);
  }
  return describe_known(lacking, "topics", known);
}

void warn_of_system(const Error& warning) {
  print_warning(warning.what());
}

void throw_invalid_command(const std::string& command, const std::string& there_are) {
  throw Error(ErrorCode::invalid,
              fmt::format("unknown command \"{}\"; available commands: {}", command, there_are));
}

TranscodingOptions encoded_for(const std::string& uri, const TranscodingOptions& options,
                               const Session& session) {
  TranscodingOptions all = options;
  auto encodings = session.encodings_of(uri);
  if (all.encoding.empty() && !encodings.empty()) all.encoding = encodings.front();
  return all;
}

}  // namespace kitbag::cli
