#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/options/transcoding.h"
#include "kitbag/error.h"
#include "kitbag/registry.h"
#include "kitbag/selector.h"
#include "kitbag/session.h"

namespace kitbag::cli {

/// Live systems as they are named on the command line.
struct SystemOptions {
  std::vector<std::string> uris =
      {};  ///< none: "ros1://" where ROS_MASTER_URI is set, or "ros2://"
  std::map<std::string, std::string> parameters = {};  ///< of ROS, besides those in `uris`
  bool with_calls = false;  ///< the services and actions of ROS 2 are recorded too

  /// The URIs with their parameters, at least one.
  std::vector<std::string> complete() const;
};

/// Whether the text is the URI of a live system, also of one whose transport is not installed.
bool is_live_system(const std::string& uri, const Session& session);

/// A number from Player::kLeastRate to `most`. Throws Error (invalid).
double parse_rate(const std::string& text, double most);

/// "; similar: /odom; available topics: /imu, /odom": what a system with the topics `known` has in
/// place of those that are selected. Empty if it has none.
std::string topics_instead(const Selection& select, const std::vector<std::string>& known);

/// Prints a warning of a live system.
void warn_of_system(const Error& warning);

/// Throws Error (invalid) for a command that `there_are` does not have.
[[noreturn]] void throw_invalid_command(const std::string& command, const std::string& there_are);

/// What is to become of payloads that go to `uri`: the encoding that its system takes, where
/// `options` ask for none.
TranscodingOptions encoded_for(const std::string& uri, const TranscodingOptions& options,
                               const Session& session);

}  // namespace kitbag::cli
