#pragma once

#include <string>
#include <zmq.hpp>

#include "kitbag/error.h"
#include "kitbag/registry.h"

namespace kitbag::zmq_transport {

/// What a location asks for: "zmq+tcp://127.0.0.1:7913?bind=1&pattern=pubsub".
struct Endpoint {
  std::string uri;          ///< for messages
  std::string address;      ///< as ZeroMQ has it: "tcp://127.0.0.1:7913"
  bool is_bound = false;    ///< this side waits for the others
  bool is_pubsub = false;   ///< else push and pull
  bool is_once = false;     ///< listening ends with the first sender
  bool keeps_time = false;  ///< log times are those of the sender

  /// Throws Error (invalid).
  static Endpoint of(const Location& location);

  /// Binds or connects `socket`. Throws Error (io).
  void attach(zmq::socket_t& socket) const;
  Error error(const std::string& what, const zmq::error_t& cause) const;
};

}  // namespace kitbag::zmq_transport
