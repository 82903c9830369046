#include "kitbag/rosbag2.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/yaml.h"
#include "kitbag/error.h"
#include "kitbag/text.h"

// rosbag2 stores QoS profiles as YAML in a text. Up to metadata version 8 enumerations are numbers,
// from version 9 on they are names. Players up to Iron fail on names, later ones read both. Both
// are read here, whatever the version says, and either can be written.
//
// Enumerations are ints, not enums: a number that no name exists for is kept and written again.

namespace kitbag::rosbag2 {

namespace {

/// The names of an enumeration of rmw, by their numbers.
using Names = std::array<std::string_view, 6>;
constexpr Names kHistory = {"system_default", "keep_last", "keep_all", "unknown"};
constexpr Names kReliability = {"system_default", "reliable", "best_effort", "unknown",
                                "best_available"};
constexpr Names kDurability = {"system_default", "transient_local", "volatile", "unknown",
                               "best_available"};
constexpr Names kLiveliness = {"system_default",  "automatic", "manual_by_node",
                               "manual_by_topic", "unknown",   "best_available"};

/// The default where nothing is said.
int enumeration(const Yaml& node, const Names& names) {
  if (!node) return 0;
  std::string text = node.scalar;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!text.empty() && names[i] == text) return static_cast<int>(i);
  }
  int number = 0;
  auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest != text.data() + text.size()) {
    throw Error(ErrorCode::corrupt, "\"" + text + "\" is not a valid quality of service");
  }
  return number;
}

QosTime qos_time_of(const Yaml& node) {
  if (!node) return {};
  return {unsigned_of(node["sec"]), unsigned_of(node["nsec"])};
}

QosProfile parse_profile(const Yaml& node) {
  QosProfile profile;
  profile.history = enumeration(node["history"], kHistory);
  profile.depth = unsigned_of(node["depth"]);
  profile.reliability = enumeration(node["reliability"], kReliability);
  profile.durability = enumeration(node["durability"], kDurability);
  profile.deadline = qos_time_of(node["deadline"]);
  profile.lifespan = qos_time_of(node["lifespan"]);
  profile.liveliness = enumeration(node["liveliness"], kLiveliness);
  profile.liveliness_lease_duration = qos_time_of(node["liveliness_lease_duration"]);
  profile.avoid_ros_namespace_conventions =
      text_of(node["avoid_ros_namespace_conventions"]) == "true";
  return profile;
}

/// A key that nobody reads is a setting that somebody wanted and does not get.
void require_known_keys(const Yaml& map, const std::vector<std::string>& known,
                        const std::string& where) {
  for (std::size_t i = 0; i + 1 < map.parts.size(); i += 2) {
    const std::string& key = map.parts[i].scalar;
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    std::vector<std::string> nearest = nearest_texts(key, known, 1);
    throw Error(ErrorCode::corrupt,
                fmt::format("{}: unknown key \"{}\"; {}", where, key,
                            nearest.empty() ? fmt::format("known: {}", fmt::join(known, ", "))
                                            : "did you mean \"" + nearest.front() + "\"?"));
  }
}

void require_known_keys(const Yaml& profile, const std::string& topic) {
  require_known_keys(profile,
                     {"history", "depth", "reliability", "durability", "deadline", "lifespan",
                      "liveliness", "liveliness_lease_duration", "avoid_ros_namespace_conventions"},
                     topic);
  for (const char* name : {"deadline", "lifespan", "liveliness_lease_duration"}) {
    const Yaml& time = profile[name];
    if (time.is_map()) require_known_keys(time, {"sec", "nsec"}, topic + ": " + name);
  }
}

std::string enumerator(int value, const Names& names, QosForm form) {
  auto index = static_cast<std::size_t>(value);
  bool has_name = value >= 0 && index < names.size() && !names[index].empty();
  return form == QosForm::names && has_name ? std::string(names[index]) : std::to_string(value);
}

std::string print_time(std::string_view key, const QosTime& time) {
  return fmt::format("  {}:\n    sec: {}\n    nsec: {}\n", key, time.sec, time.nsec);
}

}  // namespace

std::vector<QosProfile> parse_qos(std::string_view text) {
  std::vector<QosProfile> profiles;
  if (text.empty()) return profiles;
  const Yaml all = load_yaml(text);
  if (all.is_map()) throw Error(ErrorCode::corrupt, "invalid quality of service: expected a list");
  for (const Yaml& node : all.parts) profiles.push_back(parse_profile(node));
  return profiles;
}

std::string print_qos(const std::vector<QosProfile>& profiles, QosForm form) {
  std::string text;
  for (const QosProfile& profile : profiles) {
    text += fmt::format("- history: {}\n  depth: {}\n  reliability: {}\n  durability: {}\n",
                        enumerator(profile.history, kHistory, form), profile.depth,
                        enumerator(profile.reliability, kReliability, form),
                        enumerator(profile.durability, kDurability, form));
    text += print_time("deadline", profile.deadline);
    text += print_time("lifespan", profile.lifespan);
    text += fmt::format("  liveliness: {}\n", enumerator(profile.liveliness, kLiveliness, form));
    text += print_time("liveliness_lease_duration", profile.liveliness_lease_duration);
    text += fmt::format("  avoid_ros_namespace_conventions: {}\n",
                        profile.avoid_ros_namespace_conventions);
  }
  if (!text.empty()) text.pop_back();  // as rosbag2 ends it
  return text;
}

std::map<std::string, QosProfile> parse_qos_overrides(std::string_view text) {
  std::map<std::string, QosProfile> profiles;
  const Yaml all = load_yaml(text);
  if (!all.is_map()) throw Error(ErrorCode::corrupt, "expected a map of topics to profiles");
  for (std::size_t i = 0; i + 1 < all.parts.size(); i += 2) {
    const std::string& topic = all.parts[i].scalar;
    if (!all.parts[i + 1].is_map()) {
      throw Error(ErrorCode::corrupt, "the profile is missing for " + topic);
    }
    require_known_keys(all.parts[i + 1], topic);
    profiles[topic] = parse_profile(all.parts[i + 1]);
  }
  return profiles;
}

std::string qos_of(const Channel& channel, QosForm form) {
  auto given = channel.metadata.find("offered_qos_profiles");
  if (given == channel.metadata.end() || given->second.empty()) {
    if (!is_latched(channel)) return {};
    QosProfile latched;
    latched.history = QosProfile::kKeepLast;
    latched.depth = 1;
    latched.reliability = QosProfile::kReliable;
    latched.durability = QosProfile::kTransientLocal;
    return print_qos({latched}, form);
  }
  try {
    return print_qos(parse_qos(given->second), form);
  } catch (const Error&) {
    return given->second;
  }
}

}  // namespace kitbag::rosbag2
