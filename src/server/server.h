#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kitbag/session.h"
#include "server/api/bag_api.h"
#include "server/api/gate.h"
#include "server/http/server.h"
#include "server/live/live.h"

// The server of bags: HTTP, a gate, and the Bag API behind it.

namespace kitbag::server {

struct ServerOptions {
  HttpOptions http = {};
  BagApiOptions bags = {};
  std::vector<std::string> live = {};  ///< URIs of live systems for /live
  std::vector<std::string> allowed_origins = {};
  std::string token = {};
};

/// Serves from its own threads until it is destroyed.
class Server {
 public:
  /// Throws Error as HttpServer, BagList and LiveFeeds do.
  Server(ServerOptions options, const Session& session);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// "http://127.0.0.1:8090"
  std::string url() const;
  /// Whether others than this machine reach it.
  bool is_open_to_others() const;

 private:
  ServerOptions options_;
  LiveHub hub_;
  std::unique_ptr<HttpServer> http_;  ///< before api_: if it cannot listen, nothing is recorded
  BagApi api_;
  std::unique_ptr<LiveFeeds> feeds_;
  std::unique_ptr<const Gate> gate_;
};

}  // namespace kitbag::server
