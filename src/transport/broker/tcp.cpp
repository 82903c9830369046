#include "transport/broker/tcp.h"

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "kitbag/error.h"
#include "transport/broker/within.h"

// getaddrinfo() and connect() cannot be stopped, so they run on a thread that can be left alone
// (within.h). The connection is closed at once. It only shows that somebody is there; a library
// that speaks the protocol makes one of its own then, which does not wait for long.

namespace kitbag::broker {
namespace {

/// Why there is no connection; empty: there is one.
std::string try_to_connect(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  int result = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (result == EAI_SYSTEM) return std::strerror(errno);
  if (result != 0) return gai_strerror(result);
  std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(found, freeaddrinfo);
  std::string why = "it has no address";
  for (const addrinfo* each = all.get(); each; each = each->ai_next) {
    int file = socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC, each->ai_protocol);
    if (file < 0) {
      why = std::strerror(errno);
      continue;
    }
    result = connect(file, each->ai_addr, each->ai_addrlen);
    if (result != 0) why = std::strerror(errno);
    close(file);
    if (result == 0) return {};
  }
  return why;
}

}  // namespace

bool await_server(const Address& address, Duration patience, const std::stop_token& stop) {
  auto why = result_within<std::string>(patience, stop, [host = address.host, port = address.port] {
    return try_to_connect(host, port);
  });
  if (!why && stop.stop_requested()) return false;
  if (!why || !why->empty()) {
    throw Error(ErrorCode::io,
                fmt::format("cannot connect to the broker: {}", why ? *why : "no answer"),
                address.shown);
  }
  return true;
}

}  // namespace kitbag::broker
