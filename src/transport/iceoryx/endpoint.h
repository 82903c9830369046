#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/message.h"
#include "kitbag/registry.h"

namespace kitbag::iceoryx_transport {

/// What a publisher and its subscribers agree on. No part is empty or longer than kMostPartBytes.
struct Name {
  std::string service;
  std::string instance;
  std::string event;

  auto operator<=>(const Name&) const = default;
};
inline constexpr std::size_t kMostPartBytes = 100;
/// The parts of what kitbag sends where a topic has too few.
inline constexpr std::string_view kFiller = "kitbag";
/// The service and instance on which senders that are kitbag describe their channels.
inline constexpr std::string_view kDescriptionsInstance = "channels";

/// What a location asks for: "iceoryx://robot1/front?full=wait".
struct Endpoint {
  std::string shown;                ///< the URI for messages: without parameters
  std::vector<std::string> prefix;  ///< the service, or the service and the instance
  bool is_once = false;             ///< listening ends with the first sender
  bool keeps_time = false;          ///< log times are those of the sender
  bool holds_back = false;          ///< senders wait for this listener
  /// Of payloads whose sender says nothing of them.
  std::string encoding;
  std::optional<Schema> schema;

  /// Throws Error (invalid; not_found or io for a file that cannot be read).
  static Endpoint of(const Location& location);
  /// "SERVICE/INSTANCE", as parts_of() takes it.
  std::string prefix_text() const;
};

/// What is between slashes; those in front count for nothing.
std::vector<std::string> parts_of(std::string_view text);
/// The name of a topic of a bag, below `prefix`. Absent: it can have none, for one of its parts is
/// empty or too long, or has a zero byte.
std::optional<Name> name_of(const std::vector<std::string>& prefix, std::string_view topic);
/// The topic that a name tells. Absent: it is not below `prefix`.
std::optional<std::string> topic_of(const std::vector<std::string>& prefix, const Name& name);
/// Where a sender that is kitbag describes its channels.
Name descriptions_of(std::uint64_t sender);
/// Whether the name is one that descriptions_of() gives.
bool is_of_descriptions(const Name& name);
/// Whether iceoryx itself sends it: the lists of its services and its introspection.
bool is_internal(const Name& name);

}  // namespace kitbag::iceoryx_transport
