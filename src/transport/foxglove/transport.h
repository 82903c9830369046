#pragma once

#include <memory>

#include "kitbag/registry.h"

namespace kitbag::foxglove {

/// "foxglove+ws://HOST:PORT/PATH" and, by TLS, "foxglove+wss://HOST:PORT/PATH": a client of any
/// server of the Foxglove WebSocket protocol; docs/transports/foxglove.md.
///
/// Parameters of a subscriber: once (1: ends when the server has closed the connection, or says
/// that its data has ended) and times (sent: log times are the server's, or received); of both
/// sides: token ("Authorization: Bearer"). Others are passed on to the server.
Transport ws_transport();
Transport wss_transport();

std::unique_ptr<Subscriber> subscribe(const Location& location, const Subscription& wanted,
                                      Feed& feed, const Session& session);
std::unique_ptr<Publisher> publish(const Location& location, const Publication& how,
                                   const Session& session);

}  // namespace kitbag::foxglove
