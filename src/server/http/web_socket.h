#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/bytes.h"
#include "server/http/message.h"

// What the rest of the server sees of WebSockets: a handler answers an upgrade with a session,
// which gets what the client sends and a handle to send by. Messages wait in memory for a client
// that is slow, so whoever sends asks first how much waits: live data is dropped, recorded data
// waits.

namespace kitbag::server {

/// Sends to one client. Any thread. May outlive the connection: what is sent then is dropped.
class WebSocketSender {
 public:
  virtual ~WebSocketSender() = default;

  /// Adds a message to those that wait for the client. A client for which more than
  /// HttpLimits::socket_waiting_bytes wait is disconnected.
  virtual void send_text(std::string text) = 0;
  virtual void send_binary(ByteView head, ByteView rest = {}) = 0;
  /// The size of the messages that have not left.
  virtual std::size_t waiting_bytes() const = 0;
  /// Waits until at most `bytes` wait. Returns false if `stop` was requested or the connection is
  /// over.
  virtual bool await_room(std::size_t bytes, std::stop_token stop) = 0;
  /// Ends the connection when all messages have left.
  virtual void close(const std::string& reason) = 0;
};
using WebSocketSenderPtr = std::shared_ptr<WebSocketSender>;

/// One client. The server calls it from one thread at a time; a call must not wait. It is destroyed
/// on a thread that may wait, after on_close().
class WebSocketSession {
 public:
  virtual ~WebSocketSession() = default;

  virtual void on_open(WebSocketSenderPtr sender) = 0;
  virtual void on_text(std::string_view text) = 0;
  virtual void on_binary(ByteView bytes) = 0;
  /// The connection is over, or the server is to end. Called once after on_open().
  virtual void on_close() = 0;
};

/// Answers an upgrade: by `session`, in the first of `known` subprotocols that the client offers.
/// 426 if the request is no upgrade, 400 if it offers none of them. `make` is called with the
/// subprotocol.
using MakeSession = std::function<std::unique_ptr<WebSocketSession>(std::string_view subprotocol)>;
Response upgrade(const Request& request, const std::vector<std::string_view>& known,
                 const MakeSession& make);

/// Whether the request asks for a WebSocket.
bool is_upgrade(const Request& request);

}  // namespace kitbag::server
