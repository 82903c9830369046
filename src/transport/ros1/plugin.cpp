#include "kitbag/plugin.h"

#include "transport/ros1/transport.h"

// "ros1://" and "ros1://HOST:PORT?node=NAME": a system of ROS 1, by the real roscpp. A plugin,
// because the program should start without it; the one thing of kitbag that needs ROS.

namespace {

void add_to(kitbag::Registry& registry) {
  kitbag::Transport transport;
  transport.scheme = "ros1";
  transport.subscribe = kitbag::ros1::subscribe;
  transport.publish = kitbag::ros1::publish;
  transport.encodings = {"ros1"};
  registry.transports.push_back(transport);
}

}  // namespace

KITBAG_PLUGIN(add_to);
