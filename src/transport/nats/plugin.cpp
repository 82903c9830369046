#include "kitbag/plugin.h"

#include "transport/nats/transport.h"

namespace {

void add_to(kitbag::Registry& registry) {
  registry.transports.push_back(kitbag::nats::transport("nats"));
  registry.transports.push_back(kitbag::nats::transport("tls"));
}

}  // namespace

KITBAG_PLUGIN(add_to);
