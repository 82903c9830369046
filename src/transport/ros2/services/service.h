#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "transport/ros2/wire.h"

namespace kitbag::ros2 {

/// A service of kitbag's node.
struct Service {
  /// Reads a request and writes the reply. Gives up waiting when `stop` is requested. What it
  /// throws means that there is no reply.
  using Answer =
      std::function<void(WireReader& request, WireWriter& reply, const std::stop_token& stop)>;

  std::string name;  ///< below that of the node: "pause"
  std::string type;  ///< "rosbag2_interfaces/srv/Pause"
  Answer answer;
};

}  // namespace kitbag::ros2
