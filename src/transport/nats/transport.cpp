#include "transport/nats/transport.h"

#include "transport/nats/endpoint.h"

namespace kitbag::nats {

Transport transport(std::string_view scheme) {
  Transport made;
  made.scheme = scheme;
  made.subscribe = subscribe;
  made.publish = publish;
  // A stream holds what is not taken yet. Without one, the server drops it.
  made.holds_back = [](const Location& location) { return !Endpoint::of(location).stream.empty(); };
  return made;
}

}  // namespace kitbag::nats
