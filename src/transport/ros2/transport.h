#pragma once

#include <memory>

#include "kitbag/registry.h"

namespace kitbag::ros2 {

/// Transport::subscribe and Transport::publish: "ros2://DOMAIN?node=NAME", see Settings.
std::unique_ptr<Subscriber> subscribe(const Location& location, const Subscription& wanted,
                                      Feed& feed, const Session& session);
std::unique_ptr<Publisher> publish(const Location& location, const Publication& how,
                                   const Session& session);

}  // namespace kitbag::ros2
