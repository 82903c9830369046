#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "kitbag/calls.h"
#include "kitbag/registry.h"
#include "kitbag/rosbag2.h"

namespace kitbag::ros2 {

/// A variable of the environment, or "".
using Environment = std::function<std::string(const char* name)>;
std::string environment(const char* name);

/// What a location and the environment ask for: "ros2://DOMAIN?node=NAME&hidden=1&gid=24&qos=FILE",
/// service_requests and action_requests.
struct Settings {
  std::string uri;           ///< for messages
  std::uint32_t domain = 0;  ///< else ROS_DOMAIN_ID
  std::string node;          ///< as which kitbag shows itself
  /// Topics with a "_" in front of a part: those that a selection names, those of services and
  /// actions too, or all.
  enum class Hidden { named, calls, all };
  Hidden hidden = Hidden::named;                   ///< see Hidden
  std::size_t gid_bytes = 16;                      ///< 24 up to Humble
  std::map<std::string, rosbag2::QosProfile> qos;  ///< by topic, in place of what is offered
  /// Which of the recorded requests of services and actions are sent again, and take the place of
  /// their events: those of which the server has told, or the client.
  std::optional<CallEvent::What> service_requests;
  std::optional<CallEvent::What> action_requests;  ///< see service_requests
  std::string middleware_warning;                  ///< about RMW_IMPLEMENTATION; or empty
  std::string configuration;                       ///< of Cyclone DDS, in front of the user's own

  /// `node` is the name if the location says none. Throws Error: invalid; unsupported for an
  /// RMW_IMPLEMENTATION that does not speak DDS; not_found for a file.
  static Settings of(const Location& location, const Environment& environment,
                     const std::string& node);
};

}  // namespace kitbag::ros2
