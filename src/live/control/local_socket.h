#pragma once

#include <sys/un.h>

#include <optional>
#include <string>

#include "io/posix.h"

namespace kitbag {

/// Throws Error (invalid) for a path that no socket can have.
sockaddr_un local_address(const std::string& path);

/// Connects without waiting; the socket does not block. Nothing: nobody listens there. A socket
/// without a number: the listener cannot accept one more now. Throws Error (io).
std::optional<Descriptor> connect_to(const std::string& path);

/// Listens at `path`, which only the user may open; the socket does not block. A socket at which
/// nobody listens any more is replaced. Throws Error (invalid, io).
Descriptor listen_at(const std::string& path);

}  // namespace kitbag
