#include "transport/mqtt/transport.h"

#include "transport/mqtt/endpoint.h"

namespace kitbag::mqtt {

Transport transport(std::string_view scheme) {
  Transport made;
  made.scheme = scheme;
  made.subscribe = subscribe;
  made.publish = publish;
  // The broker keeps what is not acknowledged yet, within its own limits.
  made.holds_back = [](const Location& location) { return Endpoint::of(location).qos > 0; };
  return made;
}

}  // namespace kitbag::mqtt
