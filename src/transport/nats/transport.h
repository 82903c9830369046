#pragma once

#include <memory>
#include <string_view>

#include "kitbag/registry.h"

namespace kitbag::nats {

/// "nats://HOST:PORT/PREFIX" and, over TLS, "tls://...": messages of any encoding over a server of
/// NATS, with or without JetStream; docs/transports/nats.md has the headers.
Transport transport(std::string_view scheme);

std::unique_ptr<Subscriber> subscribe(const Location& location, const Subscription& wanted,
                                      Feed& feed, const Session& session);
std::unique_ptr<Publisher> publish(const Location& location, const Publication& how,
                                   const Session& session);

}  // namespace kitbag::nats
