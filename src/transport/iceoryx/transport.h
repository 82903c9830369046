#pragma once

#include <memory>

#include "kitbag/registry.h"

namespace kitbag::iceoryx_transport {

/// "iceoryx://SERVICE/INSTANCE": messages over the shared memory of iceoryx, on the machine where
/// its daemon RouDi runs; docs/transports/iceoryx.md has the names and the header.
Transport transport();

std::unique_ptr<Subscriber> subscribe(const Location& location, const Subscription& wanted,
                                      Feed& feed, const Session& session);
std::unique_ptr<Publisher> publish(const Location& location, const Publication& how,
                                   const Session& session);

}  // namespace kitbag::iceoryx_transport
