#include "transport/foxglove/endpoint.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cstdint>

#include "kitbag/error.h"
#include "kitbag/foxglove.h"

// The URI is that of a viewer with "foxglove+" in front. So parameters that kitbag does not know
// are passed on to the server.

namespace kitbag::foxglove {
namespace {

constexpr std::string_view kUsualPort = "8765";  // of bridges

/// Without its parameters: one may be a secret.
std::string shown(const Location& location) {
  return location.scheme + "://" + location.path;
}

[[noreturn]] void refuse(const Location& location, const std::string& what) {
  throw Error(ErrorCode::invalid, what, shown(location));
}

/// The parts of a URI were decoded when it was parsed, and are encoded again for the request.
std::string encoded(std::string_view text, std::string_view unchanged) {
  std::string made;
  for (char c : text) {
    bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                    unchanged.find(c) != std::string_view::npos;
    made += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return made;
}

/// Servers of the protocol know no users, and a password would be shown in errors. One that holds a
/// slash goes on in the path.
void require_no_user(const Location& location, std::string_view address) {
  std::string_view path = location.path;
  std::string_view port = address.substr(std::min(address.find(':'), address.size()));
  bool is_port = port != ":" && port.find_first_not_of("0123456789", 1) == std::string_view::npos;
  bool has_user =
      address.find('@') != std::string_view::npos ||
      (!address.starts_with('[') && !is_port && path.find('@') != std::string_view::npos);
  if (!has_user) return;
  throw Error(ErrorCode::invalid,
              "user and password do not belong in front of the host; use the parameter token",
              fmt::format("{}://{}", location.scheme, path.substr(path.rfind('@') + 1)));
}

void take_address(const Location& location, std::string_view address, WebSocketTarget& target) {
  require_no_user(location, address);
  std::size_t colon = address.rfind(':');
  bool is_ipv6 = address.starts_with('[');
  if (is_ipv6) {
    std::size_t end = address.find(']');
    if (end == std::string_view::npos) refuse(location, "invalid address; expected [IPV6]:PORT");
    target.host = address.substr(1, end - 1);
    colon = end + 1 < address.size() ? end + 1 : std::string_view::npos;
  } else {
    target.host = address.substr(0, colon);
  }
  target.port = colon == std::string_view::npos ? kUsualPort : address.substr(colon + 1);
  std::uint16_t number = 0;
  const char* end = target.port.data() + target.port.size();
  auto parsed = std::from_chars(target.port.data(), end, number);
  if (target.host.empty() || parsed.ec != std::errc() || parsed.ptr != end || number == 0) {
    refuse(location, "invalid address; expected for example foxglove+ws://127.0.0.1:8765");
  }
}

bool take_choice(const Location& location, const std::string& name, const std::string& value,
                 std::string_view no, std::string_view yes) {
  if (value != no && value != yes) {
    refuse(location, fmt::format("invalid parameter {}; expected {} or {}", name, no, yes));
  }
  return value == yes;
}

}  // namespace

Endpoint Endpoint::of(const Location& location) {
  Endpoint endpoint;
  endpoint.uri = shown(location);
  WebSocketTarget& target = endpoint.target;
  target.is_tls = location.scheme == "foxglove+wss";
  target.subprotocols = {std::string(kSdkProtocol), std::string(kWebSocketProtocol)};
  std::string_view path = location.path;
  std::size_t slash = std::min(path.find('/'), path.size());
  take_address(location, path.substr(0, slash), target);
  target.target =
      "/" + encoded(path.substr(std::min(slash + 1, path.size())), "-._~/!$&'()*+,;=:@");
  char separator = '?';
  for (const auto& [name, value] : location.parameters) {
    if (name == "once") {
      endpoint.is_once = take_choice(location, name, value, "0", "1");
    } else if (name == "times") {
      endpoint.keeps_time = take_choice(location, name, value, "received", "sent");
    } else if (name == "token") {
      bool is_printable = value.find_first_of("\r\n") == std::string::npos;
      if (!is_printable) refuse(location, "invalid parameter token; it contains a line break");
      target.token = value;
    } else {
      target.target += separator + encoded(name, "-._~") + '=' + encoded(value, "-._~");
      separator = '&';
    }
  }
  return endpoint;
}

}  // namespace kitbag::foxglove
