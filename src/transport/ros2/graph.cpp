#include "transport/ros2/graph.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

#include "transport/ros2/entity.h"
#include "transport/ros2/names.h"
#include "transport/ros2/qos.h"

// DDS describes itself by topics that are built in: each publication and each subscription that was
// discovered is a sample there. Their readers are made for one look and deleted after it. A new one
// gets what there is at that moment, so nothing has to be kept up to date between looks, and
// endpoints that come and go for weeks take no memory.

namespace kitbag::ros2 {

namespace {

constexpr std::size_t kEndpointsAtOnce = 64;

/// The block that rosbag2 writes, as one line of YAML: "[{history: keep_last, depth: 10, ...}]".
std::string in_one_line(std::string_view block) {
  constexpr std::size_t kOuterIndent = 2;
  std::string line = "[{";
  bool is_nested = false;
  bool is_first = true;
  while (!block.empty()) {
    std::string_view part = block.substr(0, block.find('\n'));
    block.remove_prefix(std::min(part.size() + 1, block.size()));
    std::size_t indent = part.find_first_not_of("- ");
    if (indent == std::string_view::npos) continue;
    part.remove_prefix(indent);
    if (is_nested && indent <= kOuterIndent) line += '}';
    is_nested = is_nested && indent > kOuterIndent;
    if (!std::exchange(is_first, false)) line += ", ";
    line += part;
    if (!part.ends_with(':')) continue;
    line += " {";
    is_nested = true;
    is_first = true;
  }
  return line + (is_nested ? "}}]" : "}]");
}

std::string qos_text(const dds_qos_t* qos) {
  return in_one_line(rosbag2::print_qos({profile_of(qos)}, rosbag2::QosForm::names));
}

/// Topics by name and type.
using Found = std::map<TopicName, LiveTopic>;
using Endpoints = std::vector<LiveEndpoint> LiveTopic::*;

/// Adds the endpoints of one of the built-in topics.
void add(dds_entity_t built_in, Endpoints endpoints, const Participant& participant,
         bool with_hidden, Found& found) {
  Entity reader(dds_create_reader(participant.get(), built_in, nullptr, nullptr),
                "reader of endpoints");
  std::array<void*, kEndpointsAtOnce> samples{};
  std::array<dds_sample_info_t, kEndpointsAtOnce> infos{};
  dds_return_t count = 0;
  while ((count = dds_take(reader.get(), samples.data(), infos.data(), samples.size(),
                           samples.size())) > 0) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      const auto* endpoint = static_cast<const dds_builtintopic_endpoint_t*>(samples[i]);
      bool is_there = infos[i].valid_data && infos[i].instance_state == DDS_IST_ALIVE;
      if (!is_there || participant.is_here(endpoint->participant_key)) continue;
      auto name = topic_name(endpoint->topic_name, endpoint->type_name);
      if (!name || (name->is_ros && !with_hidden && is_hidden(name->topic))) continue;
      LiveTopic& topic = found[*name];
      topic.topic = name->topic;
      topic.type = name->type;
      (topic.*endpoints)
          .push_back({participant.node_of(guid_of(endpoint->key)), qos_text(endpoint->qos)});
    }
    dds_return_loan(reader.get(), samples.data(), count);
  }
  require(count, "read what DDS has discovered");
}

}  // namespace

std::vector<LiveTopic> topics_of(const Participant& participant, bool with_hidden) {
  Found found;
  add(DDS_BUILTIN_TOPIC_DCPSPUBLICATION, &LiveTopic::publishers, participant, with_hidden, found);
  add(DDS_BUILTIN_TOPIC_DCPSSUBSCRIPTION, &LiveTopic::subscribers, participant, with_hidden, found);
  std::vector<LiveTopic> topics;
  topics.reserve(found.size());
  for (auto& [name, topic] : found) topics.push_back(std::move(topic));
  return topics;
}

}  // namespace kitbag::ros2
