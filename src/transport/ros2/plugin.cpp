#include "kitbag/plugin.h"

#include "transport/ros2/transport.h"

// "ros2://" and "ros2://DOMAIN?node=NAME": a system of ROS 2, or of plain DDS, by Cyclone DDS and
// without anything of ROS. A plugin, because the program should start without it.

namespace {

void add_to(kitbag::Registry& registry) {
  kitbag::Transport transport;
  transport.scheme = "ros2";
  transport.subscribe = kitbag::ros2::subscribe;
  transport.publish = kitbag::ros2::publish;
  transport.encodings = {"cdr"};
  registry.transports.push_back(transport);
}

}  // namespace

KITBAG_PLUGIN(add_to);
