#include "socket.h"

#include <netdb.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

namespace udp {

using kitbag::Error;
using kitbag::ErrorCode;

namespace {

std::size_t number_in(const std::string& text, std::size_t most, const std::string& what,
                      const std::string& uri) {
  std::size_t number = 0;
  const char* end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end || number == 0 || number > most) {
    throw Error(ErrorCode::invalid, what + " must be a number from 1 to " + std::to_string(most),
                uri);
  }
  return number;
}

}  // namespace

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Settings Settings::of(const kitbag::Location& location, Way way) {
  Settings settings;
  settings.uri = location.uri;
  std::size_t colon = location.path.rfind(':');
  if (colon == std::string::npos) {
    throw Error(ErrorCode::invalid, "has no port; write udp://HOST:PORT", location.uri);
  }
  settings.host = location.path.substr(0, colon);
  settings.port = location.path.substr(colon + 1);
  if (settings.host.starts_with('[') && settings.host.ends_with(']')) {  // IPv6
    settings.host = settings.host.substr(1, settings.host.size() - 2);
  }
  number_in(settings.port, 65'535, "the port", location.uri);
  if (settings.host.empty() && way == Way::publish) {
    throw Error(ErrorCode::invalid, "has no host to send to; write udp://HOST:PORT", location.uri);
  }
  for (const auto& [name, value] : location.parameters) {
    if (name == "max_bytes") {
      settings.max_bytes = number_in(value, kMostDatagram, name, location.uri);
    } else if ((name == "topic" || name == "encoding") && way == Way::listen && !value.empty()) {
      (name == "topic" ? settings.topic : settings.encoding) = value;
    } else {
      throw Error(ErrorCode::invalid,
                  "the parameters are max_bytes=N, and to listen also topic=NAME and "
                  "encoding=NAME; not " +
                      name + "=" + value,
                  location.uri);
    }
  }
  return settings;
}

Address resolve(const Settings& settings, Way way) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  hints.ai_flags = AI_NUMERICSERV | (way == Way::listen ? AI_PASSIVE : 0);
  addrinfo* found = nullptr;
  const char* host = settings.host.empty() ? nullptr : settings.host.c_str();
  if (int failed = ::getaddrinfo(host, settings.port.c_str(), &hints, &found)) {
    throw Error(ErrorCode::not_found, "the host is not known: " + std::string(gai_strerror(failed)),
                settings.uri);
  }
  std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);
  Address address;
  std::memcpy(&address.storage, found->ai_addr, found->ai_addrlen);
  address.size = found->ai_addrlen;
  return address;
}

Error system_error(const std::string& what, const std::string& uri) {
  return {ErrorCode::io, what + ": " + std::strerror(errno), uri};
}

}  // namespace udp
