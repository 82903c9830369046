#pragma once

#include <string>

#include "kitbag/registry.h"
#include "transport/foxglove/web_socket.h"

namespace kitbag::foxglove {

/// How long after a failure the next attempt to connect begins.
inline constexpr Duration kConnectAgain = std::chrono::seconds(1);

/// What a location asks for: "foxglove+ws://robot:8765/path?once=1".
struct Endpoint {
  std::string uri;  ///< for messages, without parameters
  WebSocketTarget target;
  bool is_once = false;    ///< listening ends with the connection, or with the data of the server
  bool keeps_time = true;  ///< log times are those of the server

  /// Throws Error (invalid).
  static Endpoint of(const Location& location);
};

}  // namespace kitbag::foxglove
