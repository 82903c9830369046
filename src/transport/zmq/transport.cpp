#include "transport/zmq/transport.h"

#include "transport/zmq/endpoint.h"

namespace kitbag::zmq_transport {

Transport transport(std::string_view scheme) {
  Transport made;
  made.scheme = scheme;
  made.subscribe = subscribe;
  made.publish = publish;
  made.holds_back = [](const Location& location) { return !Endpoint::of(location).is_pubsub; };
  return made;
}

}  // namespace kitbag::zmq_transport
