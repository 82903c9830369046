#pragma once

#include <ros/ros.h>

#include <memory>
#include <string>

#include "kitbag/registry.h"

namespace kitbag::ros1 {

/// The settings in a location: "ros1://HOST:PORT?node=NAME"; without a host, that of
/// ROS_MASTER_URI.
struct Settings {
  std::string uri;     ///< for messages
  std::string master;  ///< empty: that of the environment
  std::string node = "kitbag";

  /// Throws Error (invalid).
  static Settings of(const Location& location);
};

/// This process as a node of ROS 1. A process is one node, for one master, while anybody holds it.
/// Throws Error: not_found without a master, invalid when it is a node of another master already.
std::shared_ptr<ros::NodeHandle> node_of(const Settings& settings);

}  // namespace kitbag::ros1
