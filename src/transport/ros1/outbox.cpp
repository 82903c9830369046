#include "transport/ros1/outbox.h"

#include <arpa/inet.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <charconv>
#include <filesystem>
#include <string>
#include <system_error>

// roscpp does not give away its sockets, so those of the process are looked through.

namespace kitbag::ros1 {

namespace {

/// The local TCP port of a socket; 0: it is none.
unsigned port_of(int file) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(file, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  if (address.ss_family == AF_INET) return ntohs(reinterpret_cast<sockaddr_in&>(address).sin_port);
  if (address.ss_family == AF_INET6) {
    return ntohs(reinterpret_cast<sockaddr_in6&>(address).sin6_port);
  }
  return 0;
}

}  // namespace

std::uint64_t unconfirmed_bytes(unsigned port) {
  std::uint64_t sum = 0;
  std::error_code failure;
  for (std::filesystem::directory_iterator each("/proc/self/fd", failure), end;
       !failure && each != end; each.increment(failure)) {
    std::string name = each->path().filename();
    int file = -1;
    std::from_chars(name.data(), name.data() + name.size(), file);
    if (file < 0 || port_of(file) != port) continue;
    int bytes = 0;
    if (ioctl(file, SIOCOUTQ, &bytes) == 0 && bytes > 0) sum += static_cast<std::uint64_t>(bytes);
  }
  return sum;
}

}  // namespace kitbag::ros1
