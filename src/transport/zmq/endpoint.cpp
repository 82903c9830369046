#include "transport/zmq/endpoint.h"

#include <fmt/format.h>

#include <utility>

namespace kitbag::zmq_transport {

namespace {

/// A frame that is larger ends the connection it came on. Every format holds one that is not.
constexpr std::int64_t kMostFrameBytes = 512 << 20;

[[noreturn]] void refuse(const Location& location, const std::string& what) {
  throw Error(ErrorCode::invalid, what, location.uri);
}

bool flag(const Location& location, const std::string& name, const std::string& value) {
  if (value != "0" && value != "1") {
    refuse(location, fmt::format("invalid parameter {}; expected 0 or 1", name));
  }
  return value == "1";
}

}  // namespace

Endpoint Endpoint::of(const Location& location) {
  Endpoint endpoint;
  endpoint.uri = location.uri;
  std::string way = location.scheme.substr(location.scheme.find('+') + 1);
  endpoint.address = way + "://" + location.path;
  if (location.path.empty()) {
    refuse(location, "the address is missing; expected for example zmq+tcp://127.0.0.1:7913");
  }
  for (const auto& [name, value] : location.parameters) {
    if (name == "bind") {
      endpoint.is_bound = flag(location, name, value);
    } else if (name == "once") {
      endpoint.is_once = flag(location, name, value);
    } else if (name == "pattern") {
      endpoint.is_pubsub = value == "pubsub";
      if (value != "pubsub" && value != "pushpull") {
        refuse(location, "invalid parameter pattern; expected pubsub or pushpull");
      }
    } else if (name == "times") {
      endpoint.keeps_time = value == "sent";
      if (value != "sent" && value != "received") {
        refuse(location, "invalid parameter times; expected sent or received");
      }
    } else {
      refuse(location,
             fmt::format(
                 "unknown parameter \"{}\"; supported parameters: bind, once, pattern and times",
                 name));
    }
  }
  return endpoint;
}

void Endpoint::attach(zmq::socket_t& socket) const {
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
