#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "server/http/message.h"

namespace kitbag::server {

/// What is accepted of clients. What is more is refused (431, 413, 503), or the connection is
/// closed.
struct HttpLimits {
  std::size_t header_bytes = 16 << 10;  ///< the request line with its URL counts
  std::size_t body_bytes = 1 << 20;
  std::size_t connections = 1024;
  std::size_t waiting_requests = 256;  ///< that no thread works on yet
  /// A connection is closed when nothing comes for this long, between requests or within one.
  std::chrono::seconds idle{60};
  /// A client that has closed its side after the request gets the first bytes of the answer within
  /// this time, or none: it may as well have gone.
  std::chrono::seconds half_closed{2};
  /// A connection is aborted when its client has taken nothing for this long.
  std::chrono::seconds stalled{60};
  /// BodyStream::rest() is called when a client has not taken a piece for this long.
  std::chrono::milliseconds rest{1000};
  /// A WebSocket is closed for a larger message of its client, ...
  std::size_t socket_message_bytes = 1 << 20;
  /// ... and when more of what is sent to it waits.
  std::size_t socket_waiting_bytes = 64 << 20;
};

struct HttpOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  ///< 0: any that is free
  unsigned threads = 0;    ///< that handle requests; 0: twice the number of processors, at least 8
  std::string tls_certificate = {};  ///< paths of PEM files; both empty: no TLS
  std::string tls_key = {};
  HttpLimits limits = {};
};

/// What a server has done so far.
struct HttpCounts {
  /// Requests that were answered, by the first digit of the status; [0] is unused.
  std::array<std::uint64_t, 6> requests = {};
  std::uint64_t sent_bytes = 0;  ///< heads and bodies, without TLS
  std::uint64_t aborted = 0;     ///< answers that were broken off
  std::size_t connections = 0;   ///< open now
};

/// Answers a request. Called on any of the threads that handle requests, several at a time. What it
/// throws becomes an answer with status 500.
using HttpHandler = std::function<Response(const Request& request)>;

/// An HTTP/1.1 server. SIGPIPE must be ignored: sendfile(2) cannot suppress it.
class HttpServer {
 public:
  /// Listens; clients wait until start(). Throws Error: io if the address is in use or not of this
  /// machine, invalid for a certificate that cannot be used.
  explicit HttpServer(const HttpOptions& options);
  /// Closes all connections, within a second if the handler heeds Request::stop.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// Answers from threads of its own from now on. Once only.
  void start(HttpHandler handler);

  /// Takes no more connections, completes the answers to requests that have come, and closes all
  /// connections. Waits for that, but no longer than `most`; returns whether it is done. Once only,
  /// after start().
  bool drain(std::chrono::milliseconds most);

  /// The port that it listens on, or has listened on.
  std::uint16_t port() const;
  HttpCounts counts() const;

 private:
  class Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace kitbag::server
