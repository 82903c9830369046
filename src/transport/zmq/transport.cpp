#include "transport/zmq/transport.h"

#include "transport/zmq/endpoint.h"

namespace kitbag::zmq_transport {

namespace {

bool holds_back(const Location& location) {
  return !Endpoint::of(location).is_pubsub;
}

Transport transport(std::string_view scheme) {
  Transport made;
  made.scheme = scheme;
  made.subscribe = subscribe;
  made.publish = publish;
  made.holds_back = holds_back;
  return made;
}

}  // namespace

Transport tcp_transport() {
  return transport("zmq+tcp");
}

Transport ipc_transport() {
  return transport("zmq+ipc");
}

}  // namespace kitbag::zmq_transport
