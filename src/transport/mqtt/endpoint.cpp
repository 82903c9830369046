#include "transport/mqtt/endpoint.h"

#include <fmt/format.h>

#include "kitbag/escape.h"

// Topics of bags begin with a slash, as in ROS, and those of MQTT usually do not: "/imu" is "imu",
// or "PREFIX/imu". A character that MQTT does not allow is written as %XX. Where the name does not
// tell the topic, the message has it in a field.

namespace kitbag::mqtt {
namespace {

constexpr std::uint16_t kUsualPort = 1883;
constexpr std::uint16_t kUsualTlsPort = 8883;
constexpr std::size_t kMostNameBytes = 65'535;

}  // namespace

Endpoint Endpoint::of(const Location& location) {
  Endpoint endpoint;
  endpoint.is_tls = location.scheme == "mqtts";
  endpoint.address = broker::address_of(location, endpoint.is_tls ? kUsualTlsPort : kUsualPort);
  broker::Parameters given(
      location, endpoint.shown(),
      {"qos", "client", "expiry", "user", "password", "ca", "cert", "key", "once", "times"});
  endpoint.qos = static_cast<int>(given.number("qos", 1, 0, 2));
  endpoint.client = given.text("client");
  endpoint.expiry_s =
      static_cast<std::uint32_t>(given.number("expiry", endpoint.expiry_s, 0, UINT32_MAX));
  endpoint.take(given, "mqtts", "KITBAG_MQTT");
  if (endpoint.user.empty() && !endpoint.password.empty()) {
    given.refuse("a password needs a user");
  }
  if (endpoint.address.prefix.find_first_of("+#") != std::string::npos) {
    given.refuse("the prefix of topics contains + or #; select topics by the options for topics");
  }
  return endpoint;
}

std::string name_of(std::string_view prefix, std::string_view topic) {
  std::string name(prefix);
  if (!name.empty()) name += '/';
  if (topic.starts_with('/')) topic.remove_prefix(1);
  if (topic.empty()) return name + '%';
  for (char c : topic) {
    bool is_first = name.empty();
    bool is_plain = c != '+' && c != '#' && c != '\0' && !(is_first && c == '$');
    if (is_plain) {
      name += c;
    } else {
      name += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  std::size_t replaced = 0;
  valid_utf8(name, &replaced);
  return replaced > 0 || name.size() > kMostNameBytes ? std::string() : name;
}

std::optional<std::string> topic_of(std::string_view prefix, std::string_view name) {
  if (!prefix.empty()) {
    bool is_below =
        name.starts_with(prefix) && (name.size() == prefix.size() || name[prefix.size()] == '/');
    if (!is_below) return std::nullopt;
    name.remove_prefix(prefix.size());
  }
  return name.starts_with('/') ? std::string(name) : "/" + std::string(name);
}

}  // namespace kitbag::mqtt
