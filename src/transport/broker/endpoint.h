#pragma once

#include <string>

#include "transport/broker/address.h"

namespace kitbag::broker {

/// What a location of any broker asks for.
struct Endpoint {
  Address address;
  bool is_tls = false;
  std::string user;
  std::string password;
  std::string ca;  ///< paths of files; empty: those of the system, or none
  std::string certificate;
  std::string key;
  bool is_once = false;     ///< listening ends with the first sender
  bool keeps_time = false;  ///< log times are those of the sender

  /// Takes all but the address and `is_tls`, which are known. `tls_scheme` is the one that
  /// encrypts; `variables` is what the names of environment variables begin with: "KITBAG_MQTT".
  /// Throws Error (invalid; not_found or io for a file that cannot be read).
  void take(const Parameters& given, const std::string& tls_scheme, const std::string& variables);

  const std::string& shown() const { return address.shown; }
};

}  // namespace kitbag::broker
