#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kitbag/registry.h"
#include "transport/broker/endpoint.h"

namespace kitbag::mqtt {

/// What a location asks for: "mqtt://broker:1883/robot1?qos=1&client=recorder".
struct Endpoint : broker::Endpoint {
  int qos = 1;
  std::string client;               ///< the client id; empty: a random one
  std::uint32_t expiry_s = 86'400;  ///< how long the broker holds messages for `client`

  /// Throws Error (invalid; not_found or io for a file that cannot be read).
  static Endpoint of(const Location& location);
};

/// The name of a topic of a bag at the broker, below `prefix`. Empty: it can have none.
std::string name_of(std::string_view prefix, std::string_view topic);
/// The topic of a bag that a name at the broker tells. Absent: the name is not below `prefix`.
std::optional<std::string> topic_of(std::string_view prefix, std::string_view name);

}  // namespace kitbag::mqtt
