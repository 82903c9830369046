#pragma once

#include <stop_token>

#include "kitbag/time.h"
#include "transport/broker/address.h"

namespace kitbag::broker {

/// Whether somebody accepts connections at `address`: makes one, and closes it. False: a stop was
/// requested. Throws Error (io) if there is nobody, or no answer within `patience`.
bool await_server(const Address& address, Duration patience, const std::stop_token& stop);

}  // namespace kitbag::broker
