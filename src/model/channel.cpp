#include <string_view>

#include "kitbag/message.h"

namespace kitbag {
namespace {

bool is_same_schema(const SchemaPtr& a, const SchemaPtr& b) {
  return a == b || (a && b && *a == *b);
}

/// Every publisher keeps its last messages for late subscribers, by the YAML text of their profiles
/// in either form: `durability` is a number up to version 8 of rosbag2's metadata, then a name.
bool is_transient_local(std::string_view profiles) {
  constexpr std::string_view kKey = "durability:";
  bool is_found = false;
  for (std::size_t at = 0; (at = profiles.find(kKey, at)) != std::string_view::npos;) {
    at = profiles.find_first_not_of(" \"'", at + kKey.size());
    if (at == std::string_view::npos) return false;
    std::string_view rest = profiles.substr(at);
    std::string_view value = rest.substr(0, rest.find_first_of(" \"'\r\n,}"));
    if (value != "transient_local" && value != "1") return false;
    is_found = true;
  }
  return is_found;
}

}  // namespace

const std::string& Channel::type() const {
  static const std::string kNone;
  return schema ? schema->name : kNone;
}

bool same_content(const Channel& a, const Channel& b) {
  return a.topic == b.topic && a.encoding == b.encoding && a.metadata == b.metadata &&
         is_same_schema(a.schema, b.schema);
}

bool is_latched(const Channel& channel) {
  auto latching = channel.metadata.find("latching");
  if (latching != channel.metadata.end() &&
      (latching->second == "1" || latching->second == "true")) {
    return true;
  }
  auto profiles = channel.metadata.find("offered_qos_profiles");
  return profiles != channel.metadata.end() && is_transient_local(profiles->second);
}

bool is_repeated(const Channel& channel) {
  return channel.metadata.contains(kRepeatedKey);
}

}  // namespace kitbag
