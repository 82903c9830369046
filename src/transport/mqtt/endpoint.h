#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kitbag/registry.h"
#include "transport/broker/address.h"

namespace kitbag::mqtt {

/// What a location asks for: "mqtt://broker:1883/robot1?qos=1&client=recorder".
struct Endpoint {
  broker::Address address;
  bool is_tls = false;
  int qos = 1;
  std::string client;               ///< the client id; empty: a random one
  std::uint32_t expiry_s = 86'400;  ///< how long the broker holds messages for `client`
  std::string user;
  std::string password;
  std::string ca;  ///< paths of files; empty: those of the system, or none
  std::string certificate;
  std::string key;
  bool is_once = false;     ///< listening ends with the first sender
  bool keeps_time = false;  ///< log times are those of the sender

  /// Throws Error (invalid; not_found or io for a file that cannot be read).
  static Endpoint of(const Location& location);

  const std::string& shown() const { return address.shown; }
};

/// The name of a topic of a bag at the broker, below `prefix`. Empty: it can have none.
std::string name_of(std::string_view prefix, std::string_view topic);
/// The topic of a bag that a name at the broker tells. Absent: the name is not below `prefix`.
std::optional<std::string> topic_of(std::string_view prefix, std::string_view name);

}  // namespace kitbag::mqtt
