#pragma once

#include <memory>

#include "kitbag/registry.h"

namespace kitbag::ros2 {

/// Transport::subscribe and Transport::publish: "ros2://DOMAIN?node=NAME", see Settings.
std::unique_ptr<Subscriber> subscribe(const Location& location, const Subscription& wanted,
                                      Clock& clock, Feed& feed);
std::unique_ptr<Publisher> publish(const Location& location, const Publication& how, Clock& clock);

}  // namespace kitbag::ros2
