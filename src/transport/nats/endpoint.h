#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kitbag/registry.h"
#include "transport/broker/endpoint.h"

namespace kitbag::nats {

/// What a location asks for: "nats://server:4222/robot1?stream=ROBOT&durable=recorder".
struct Endpoint : broker::Endpoint {
  std::string stream;        ///< of JetStream; empty: without it
  std::string durable;       ///< the consumer of that stream; empty: one for this run
  bool is_from_now = false;  ///< a new consumer begins with what comes from now on
  std::string token;
  std::string credentials;  ///< the path of a file; empty: none

  /// Throws Error (invalid; not_found or io for a file that cannot be read).
  static Endpoint of(const Location& location);

  /// The subject of all that is below the prefix.
  std::string everything() const;
};

/// The subject of a topic of a bag, below `prefix`. Empty: it can have none.
std::string subject_of(std::string_view prefix, std::string_view topic);
/// The topic of a bag that a subject tells. Absent: the subject is not below `prefix`, or one of
/// the server's own.
std::optional<std::string> topic_of(std::string_view prefix, std::string_view subject);

}  // namespace kitbag::nats
