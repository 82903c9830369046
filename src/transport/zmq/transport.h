#pragma once

#include <memory>
#include <string_view>

#include "kitbag/registry.h"

namespace kitbag::zmq_transport {

/// "zmq+tcp://HOST:PORT" and "zmq+ipc://PATH": messages as three frames, so that any program can
/// feed a recorder or be played to; docs/transports/zmq.md has the framing.
///
/// Parameters: bind (0; 1: this side waits for the others), pattern (pushpull, which makes the
/// sender wait and loses nothing, or pubsub); for listeners also once (1: ends when a sender has
/// ended) and times (received, or sent: log times are the sender's).
Transport transport(std::string_view scheme);

std::unique_ptr<Subscriber> subscribe(const Location& location, const Subscription& wanted,
                                      Feed& feed, const Session& session);
std::unique_ptr<Publisher> publish(const Location& location, const Publication& how,
                                   const Session& session);

}  // namespace kitbag::zmq_transport
