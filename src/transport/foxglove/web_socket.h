#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kitbag/bytes.h"
#include "kitbag/time.h"

namespace kitbag::foxglove {

/// Where to connect, and what to ask for.
struct WebSocketTarget {
  bool is_tls = false;
  std::string host;
  std::string port;
  std::string target = "/";  ///< the path and the query of the request
  std::string token = {};    ///< for "Authorization: Bearer"; empty: no such header
  std::vector<std::string> subprotocols = {};
};

/// What came: a view that is valid until the next call.
struct WebSocketMessage {
  bool is_text = false;
  ByteView data = {};
};

/// The client side of a WebSocket connection. One thread at a time; the callbacks of Beast run
/// within these calls. When `stop` is requested, every call that waits returns at once,
/// now and later.
class WebSocket {
 public:
  /// A message that is larger ends the connection.
  static constexpr std::size_t kMostMessageBytes = 512 << 20;

  virtual ~WebSocket() = default;

  /// Connects. Returns false if it was stopped. Throws Error: io if the server cannot be reached or
  /// trusted, unsupported if it answers, but not with one of the subprotocols.
  virtual bool open() = 0;
  /// The next message. Absent: none has come within `timeout`, or it was stopped. Throws Error (io)
  /// if the connection is over: is_closed() then says whether the server has closed it properly.
  virtual std::optional<WebSocketMessage> receive(Duration timeout) = 0;
  /// Sends `head` and `rest` as one message. Returns false if it was stopped; the connection is of
  /// no more use then. Throws Error (io).
  virtual bool send(bool is_text, ByteView head, ByteView rest = {}) = 0;
  /// Closes the connection, and waits a moment for the server's answer.
  virtual void close() = 0;
  virtual bool is_closed() const = 0;
};

/// `uri` names it in errors.
std::unique_ptr<WebSocket> web_socket(WebSocketTarget target, std::string uri,
                                      std::stop_token stop);

}  // namespace kitbag::foxglove
