#pragma once

#include <memory>
#include <set>
#include <string>

#include "kitbag/session.h"
#include "server/bags/open_bags.h"
#include "server/http/web_socket.h"

namespace kitbag::server {

/// How a replay begins.
struct ReplayOptions {
  double rate = 1;
  bool starts_paused = false;
  std::optional<Time> start = std::nullopt;  ///< absent: that of the bag
  /// Topics whose last message is sent before others, besides those that are latched in the bag.
  std::set<std::string> latched_topics = {};
  bool has_control = false;  ///< the client knows playback control
};

/// Returns a session that replays a bag to one client. The replay begins with the first
/// subscription, waits while the client is slow, and stays at the end, from where the client can
/// seek. Throws Error (invalid) for an invalid rate.
std::unique_ptr<WebSocketSession> replay(OpenBagPtr bag, const ReplayOptions& options,
                                         const Session& session);

}  // namespace kitbag::server
