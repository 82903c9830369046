#pragma once

#include <memory>
#include <string_view>

#include "kitbag/registry.h"

namespace kitbag::mqtt {

/// "mqtt://HOST:PORT/PREFIX" and, over TLS, "mqtts://...": messages of any encoding over a broker
/// of MQTT 5; docs/transports/mqtt.md has the fields.
Transport transport(std::string_view scheme);

std::unique_ptr<Subscriber> subscribe(const Location& location, const Subscription& wanted,
                                      Feed& feed, const Session& session);
std::unique_ptr<Publisher> publish(const Location& location, const Publication& how,
                                   const Session& session);

}  // namespace kitbag::mqtt
