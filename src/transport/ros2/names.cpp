#include "transport/ros2/names.h"

#include <vector>

// How ROS maps its names to those of DDS:
//
//   topic       /scan                       rt/scan
//   service     /add                        rq/addRequest, rr/addReply: no topics for a recorder
//   type        sensor_msgs/msg/LaserScan   sensor_msgs::msg::dds_::LaserScan_
//   plain DDS   Scan                        Scan: no prefix, so it is kept as it is
//
// The USER_DATA of an endpoint is a list of "key=value;". Since Iron it has the hash of the type;
// what is no well-formed hash there counts as none.

namespace kitbag::ros2 {

namespace {

std::vector<std::string_view> split(std::string_view text, std::string_view by) {
  std::vector<std::string_view> parts;
  for (;;) {
    std::size_t end = text.find(by);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + by.size());
  }
}

std::string join(const std::vector<std::string_view>& parts, std::string_view by) {
  std::string text;
  for (std::string_view part : parts) {
    if (!text.empty()) text += by;
    text += part;
  }
  return text;
}

/// "RIHS01_" and 64 hexadecimal digits.
bool is_type_hash(std::string_view text) {
  constexpr std::string_view kVersion = "RIHS01_";
  constexpr std::size_t kDigits = 64;
  return text.starts_with(kVersion) && text.size() == kVersion.size() + kDigits &&
         text.find_first_not_of("0123456789abcdef", kVersion.size()) == std::string_view::npos;
}

}  // namespace

std::optional<TopicName> topic_name(std::string_view dds_topic, std::string_view dds_type) {
  for (std::string_view prefix : {"rq/", "rr/", "rs/", "DCPS"}) {
    if (dds_topic.starts_with(prefix)) return std::nullopt;
  }
  if (dds_topic == "ros_discovery_info") return std::nullopt;
  if (!dds_topic.starts_with("rt/")) {
    return TopicName{std::string(dds_topic), std::string(dds_type), false};
  }
  TopicName name{std::string(dds_topic.substr(2)), std::string(dds_type), true};
  auto parts = split(dds_type, "::");
  if (parts.size() < 2 || parts[parts.size() - 2] != "dds_" || !parts.back().ends_with('_')) {
    return name;
  }
  parts.back().remove_suffix(1);
  parts.erase(parts.end() - 2);
  name.type = join(parts, "/");
  return name;
}

std::string dds_topic(const std::string& topic, bool avoids_ros_conventions) {
  return topic.starts_with('/') && !avoids_ros_conventions ? "rt" + topic : topic;
}

std::string dds_type(const std::string& type) {
  auto parts = split(type, "/");
  if (parts.size() < 2) return type;
  if (parts.size() == 2) parts.insert(parts.begin() + 1, "msg");
  parts.insert(parts.end() - 1, "dds_");
  return join(parts, "::") + "_";
}

bool is_hidden(std::string_view topic) {
  return topic.starts_with('_') || topic.find("/_") != std::string_view::npos;
}

std::string type_hash_in(std::string_view user_data) {
  constexpr std::string_view kKey = "typehash=";
  for (std::string_view field : split(user_data, ";")) {
    if (!field.starts_with(kKey)) continue;
    std::string_view hash = field.substr(kKey.size());
    return is_type_hash(hash) ? std::string(hash) : std::string();
  }
  return {};
}

std::string endpoint_user_data(std::string_view type_hash) {
  return is_type_hash(type_hash) ? "typehash=" + std::string(type_hash) + ";" : "kitbag=1;";
}

}  // namespace kitbag::ros2
