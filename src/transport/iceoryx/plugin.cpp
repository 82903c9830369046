#include "kitbag/plugin.h"
#include "transport/iceoryx/transport.h"

namespace {

void add_to(kitbag::Registry& registry) {
  registry.transports.push_back(kitbag::iceoryx_transport::transport());
}

}  // namespace

KITBAG_PLUGIN(add_to);
