#pragma once

// Beast 1.74 needs <utility> and does not include it.
#include <utility>
//
#include <array>
#include <atomic>
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <condition_variable>
#include <mutex>
#include <stop_token>

#include "server/http/server.h"

// What the parts of a connection share. Only server.cpp includes it: Beast is expensive to compile.

namespace kitbag::server {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

/// What all connections of a server share.
struct HttpShared {
  HttpLimits limits;
  HttpHandler handler;
  std::stop_source draining;  ///< no request is to follow those that are under way
  std::stop_source ending;    ///< those end, too
  std::atomic<std::size_t> connections = 0;
  std::atomic<std::size_t> serving = 0;  ///< connections that are not at their end; no WebSockets
  std::atomic<std::size_t> waiting = 0;  ///< requests that no worker has begun
  // As in HttpCounts.
  std::array<std::atomic<std::uint64_t>, 6> requests = {};
  std::atomic<std::uint64_t> sent_bytes = 0;
  std::atomic<std::uint64_t> aborted = 0;

  // WebSockets hold sessions with threads of their own, so the server waits for their end.
  std::mutex sockets_mutex;
  std::condition_variable sockets_changed;
  std::size_t sockets = 0;  ///< that have not ended; guarded by sockets_mutex
};

}  // namespace kitbag::server
