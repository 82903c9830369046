#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "kitbag/registry.h"
#include "kitbag/rosbag2.h"

namespace kitbag::ros2 {

/// A variable of the environment, or "".
using Environment = std::function<std::string(const char* name)>;
std::string environment(const char* name);

/// What a location and the environment ask for: "ros2://DOMAIN?node=NAME&hidden=1&gid=24&qos=FILE".
struct Settings {
  std::string uri;                                 ///< for messages
  std::uint32_t domain = 0;                        ///< else ROS_DOMAIN_ID
  std::string node;                                ///< as which kitbag shows itself
  bool with_hidden = false;                        ///< topics with a "_" in front of a part too
  std::size_t gid_bytes = 16;                      ///< 24 up to Humble
  std::map<std::string, rosbag2::QosProfile> qos;  ///< by topic, in place of what is offered
  std::string middleware_warning;                  ///< about RMW_IMPLEMENTATION; or empty
  std::string configuration;                       ///< of Cyclone DDS, in front of the user's own

  /// `node` is the name if the location says none. Throws Error: invalid; unsupported for an
  /// RMW_IMPLEMENTATION that does not speak DDS; not_found for a file.
  static Settings of(const Location& location, const Environment& environment,
                     const std::string& node);
};

}  // namespace kitbag::ros2
