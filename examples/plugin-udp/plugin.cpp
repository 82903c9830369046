// "udp://HOST:PORT": datagrams as messages, in both directions. Sensors (lidars, radars, GPS
// receivers) and telemetry use them: a sender does not know its receivers and never waits.

#include <kitbag/plugin.h>

#include "udp.h"

namespace {

void add_udp(kitbag::Registry& registry) {
  // The state of a transport lives in what its functions capture.
  auto senders = std::make_shared<udp::Senders>();
  kitbag::Transport transport;
  transport.scheme = "udp";
  transport.subscribe = udp::subscribe;
  transport.publish = [senders](const kitbag::Location& location, const kitbag::Publication& how,
                                const kitbag::Session&) {
    return udp::publish(location, how, *senders);
  };
  registry.transports.push_back(std::move(transport));
}

}  // namespace

KITBAG_PLUGIN(add_udp);
