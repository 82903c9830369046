#include "kitbag/plugin.h"

#include "transport/zmq/transport.h"

namespace {

void add_to(kitbag::Registry& registry) {
  registry.transports.push_back(kitbag::zmq_transport::transport("zmq+tcp"));
  registry.transports.push_back(kitbag::zmq_transport::transport("zmq+ipc"));
}

}  // namespace

KITBAG_PLUGIN(add_to);
