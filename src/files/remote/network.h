#pragma once

#include <sys/socket.h>

#include <string>

namespace kitbag::remote {

/// Whether an address belongs to a machine on the Internet, and not to this machine, its network,
/// or a special purpose.
bool is_public(const sockaddr& address);

/// Whether a numeric text such as "127.0.0.1" or "::1" is this address.
bool is_same(const std::string& literal, const sockaddr& address);

/// The same two for a numeric text: whether it is public, or `literal`. False for what is no
/// address.
bool may_be_reached(const std::string& numeric, const std::string& literal);

}  // namespace kitbag::remote
