#include "transport/ros2/settings.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

#include "kitbag/error.h"

namespace kitbag::ros2 {

namespace {

/// The ports of a domain end with it (RTPS 2.5, 9.6.2.3).
constexpr std::uint32_t kMostDomain = 232;

/// Datagrams as large as UDP has them: one fragment costs as much as another. And what keeps a lost
/// datagram from taking more along: while a message is missing, those behind it wait in a queue for
/// which 128 places are too few at some ten thousand messages a second; the missing one is asked
/// for at once, because a publisher that keeps ten messages has soon forgotten it.
constexpr const char* kForManyMessages =
    "<General><MaxMessageSize>65500B</MaxMessageSize><FragmentSize>63000B</FragmentSize></General>"
    "<Internal><SocketReceiveBufferSize min=\"default\" max=\"32MiB\"/>"
    "<PrimaryReorderMaxSamples>16384</PrimaryReorderMaxSamples>"
    "<SecondaryReorderMaxSamples>16384</SecondaryReorderMaxSamples>"
    "<DefragReliableMaxSamples>64</DefragReliableMaxSamples>"
    "<DefragUnreliableMaxSamples>16</DefragUnreliableMaxSamples>"
    "<NackDelay>1 ms</NackDelay></Internal>";

[[noreturn]] void refuse(const std::string& what, const Location& location) {
  throw Error(ErrorCode::invalid, what, location.uri);
}

std::uint32_t parse_domain(const std::string& text, const std::string& where,
                           const Location& location) {
  std::uint32_t domain = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), domain);
  bool is_sound = error == std::errc() && end == text.data() + text.size();
  if (is_sound && domain <= kMostDomain) return domain;
  refuse("\"" + text + "\"" + where + " is not a valid domain; expected a number from 0 to 232",
         location);
}

std::map<std::string, rosbag2::QosProfile> read_overrides(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error(ErrorCode::not_found, "the file of QoS overrides does not exist", path);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  try {
    return rosbag2::parse_qos_overrides(text);
  } catch (const Error& error) {
    throw Error(error.code(), error.message(), path);
  }
}

std::string judge_middleware(const std::string& name, const Location& location) {
  if (name.empty() || name == "rmw_cyclonedds_cpp") return {};
  for (std::string_view dds : {"rmw_fastrtps_cpp", "rmw_fastrtps_dynamic_cpp", "rmw_connextdds"}) {
    if (name != dds) continue;
    return "RMW_IMPLEMENTATION is " + name +
           "; kitbag uses Cyclone DDS, which receives its messages over the network, but not over "
           "shared memory, and cannot request type descriptions from its nodes";
  }
  throw Error(ErrorCode::unsupported,
              "RMW_IMPLEMENTATION is " + name +
                  ", which is not supported; use a DDS middleware such as rmw_cyclonedds_cpp",
              location.uri);
}

std::optional<Settings::Hidden> hidden_of(const std::string& text) {
  if (text == "0") return Settings::Hidden::named;
  if (text == "calls") return Settings::Hidden::calls;
  if (text == "1") return Settings::Hidden::all;
  return std::nullopt;
}

/// The words of rosbag2 for who has told of a request.
std::optional<CallEvent::What> requests_of(const std::string& source) {
  if (source == "service_introspection") return CallEvent::What::request_received;
  if (source == "client_introspection") return CallEvent::What::request_sent;
  return std::nullopt;
}

/// Host names and addresses, and nothing that could end the text of a configuration.
bool is_address(std::string_view text) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:-_";
  return !text.empty() && text.find_first_not_of(kAllowed) == std::string_view::npos;
}

/// As rmw understands ROS_LOCALHOST_ONLY, ROS_AUTOMATIC_DISCOVERY_RANGE and ROS_STATIC_PEERS.
std::string discovery_of(const Environment& environment, const Location& location) {
  std::string range = environment("ROS_AUTOMATIC_DISCOVERY_RANGE");
  bool is_local = environment("ROS_LOCALHOST_ONLY") == "1" || range == "LOCALHOST";
  bool is_off = range == "OFF";
  constexpr std::array<std::string_view, 5> kRanges = {"", "SUBNET", "LOCALHOST", "OFF",
                                                       "SYSTEM_DEFAULT"};
  bool is_known = false;
  for (std::string_view known : kRanges) is_known |= range == known;
  if (!is_known) refuse("invalid ROS_AUTOMATIC_DISCOVERY_RANGE \"" + range + "\"", location);
  std::string peers;
  std::string rest = environment("ROS_STATIC_PEERS");
  while (!rest.empty()) {
    std::size_t end = std::min(rest.find(';'), rest.size());
    std::string peer = rest.substr(0, end);
    rest.erase(0, std::min(end + 1, rest.size()));
    if (peer.empty()) continue;
    if (!is_address(peer)) refuse("ROS_STATIC_PEERS: \"" + peer + "\" is not an address", location);
    peers += "<Peer Address=\"" + peer + "\"/>";
  }
  if (is_local) peers += "<Peer Address=\"127.0.0.1\"/>";
  std::string text;
  if (is_local) {
    text +=
        "<General><Interfaces><NetworkInterface address=\"127.0.0.1\"/></Interfaces>"
        "<AllowMulticast>false</AllowMulticast></General>";
  } else if (is_off) {
    text += "<General><AllowMulticast>false</AllowMulticast></General>";
  }
  // Peers are asked at ports that follow from the domain and the index of a participant. So each
  // one here takes the first free index, and those up to the maximum are asked at each peer.
  if (peers.empty()) return text;
  return text +
         "<Discovery><ParticipantIndex>auto</ParticipantIndex>"
         "<MaxAutoParticipantIndex>32</MaxAutoParticipantIndex><Peers>" +
         peers + "</Peers></Discovery>";
}

}  // namespace

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

Settings Settings::of(const Location& location, const Environment& environment,
                      const std::string& node) {
  Settings settings;
  settings.node = node;
  settings.uri = location.uri;
  if (std::string id = environment("ROS_DOMAIN_ID"); !location.path.empty()) {
    settings.domain = parse_domain(location.path, "", location);
  } else if (!id.empty()) {
    settings.domain = parse_domain(id, " in ROS_DOMAIN_ID", location);
  }
  for (const auto& [name, value] : location.parameters) {
    if (name == "node" && !value.empty()) {
      settings.node = value;
    } else if (auto hidden = hidden_of(value); hidden && name == "hidden") {
      settings.hidden = *hidden;
    } else if (name == "gid" && (value == "16" || value == "24")) {
      settings.gid_bytes = value == "24" ? 24 : 16;
    } else if (name == "qos") {
      settings.qos = read_overrides(value);
    } else if (auto requests = requests_of(value); requests && name == "service_requests") {
      settings.service_requests = requests;
    } else if (requests && name == "action_requests") {
      settings.action_requests = requests;
    } else {
      refuse(
          "invalid parameter of ros2://; expected node=NAME, hidden=0|calls|1, gid=16|24, "
          "qos=FILE, "
          "service_requests=service_introspection|client_introspection or action_requests=..., "
          "got " +
              name + "=" + value,
          location);
    }
  }
  settings.middleware_warning = judge_middleware(environment("RMW_IMPLEMENTATION"), location);
  settings.configuration = "<CycloneDDS><Domain>" + std::string(kForManyMessages) +
                           discovery_of(environment, location) + "</Domain></CycloneDDS>";
  return settings;
}

}  // namespace kitbag::ros2
