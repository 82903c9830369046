#include "transport/iceoryx/transport.h"

#include "transport/iceoryx/endpoint.h"

namespace kitbag::iceoryx_transport {

Transport transport() {
  Transport made;
  made.scheme = "iceoryx";
  made.subscribe = subscribe;
  made.publish = publish;
  made.holds_back = [](const Location& location) { return Endpoint::of(location).holds_back; };
  return made;
}

}  // namespace kitbag::iceoryx_transport
