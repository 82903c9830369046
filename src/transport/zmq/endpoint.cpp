#include "transport/zmq/endpoint.h"

#include <fmt/format.h>

#include <utility>

#include "transport/broker/address.h"

namespace kitbag::zmq_transport {

namespace {

/// A frame that is larger ends the connection it came on. Every format holds one that is not.
constexpr std::int64_t kMostFrameBytes = 512 << 20;

}  // namespace

Endpoint Endpoint::of(const Location& location) {
  Endpoint endpoint;
  endpoint.uri = location.uri;
  std::string way = location.scheme.substr(location.scheme.find('+') + 1);
  endpoint.address = way + "://" + location.path;
  if (location.path.empty()) {
    throw Error(ErrorCode::invalid,
                "the address is missing; expected for example zmq+tcp://127.0.0.1:7913",
                location.uri);
  }
  broker::Parameters given(location, location.uri, {"bind", "once", "pattern", "times"});
  endpoint.is_bound = given.choice("bind", "0", "1");
  endpoint.is_once = given.choice("once", "0", "1");
  endpoint.is_pubsub = given.choice("pattern", "pushpull", "pubsub");
  endpoint.keeps_time = given.choice("times", "received", "sent");
  return endpoint;
}

void Endpoint::attach(zmq::socket_t& socket) const {
  // Before bind() or connect(): options only hold for connections that are made later.
  socket.set(zmq::sockopt::maxmsgsize, kMostFrameBytes);
  try {
    if (is_bound) {
      socket.bind(address);
    } else {
      socket.connect(address);
    }
  } catch (const zmq::error_t& cause) {
    throw error(is_bound ? "cannot bind the socket" : "cannot connect the socket", cause);
  }
}

Error Endpoint::error(const std::string& what, const zmq::error_t& cause) const {
  return {ErrorCode::io, fmt::format("{}: {}", what, cause.what()), uri};
}

}  // namespace kitbag::zmq_transport
