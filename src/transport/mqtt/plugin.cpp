#include "kitbag/plugin.h"

#include "transport/mqtt/transport.h"

namespace {

void add_to(kitbag::Registry& registry) {
  registry.transports.push_back(kitbag::mqtt::transport("mqtt"));
  registry.transports.push_back(kitbag::mqtt::transport("mqtts"));
}

}  // namespace

KITBAG_PLUGIN(add_to);
