#include "transport/ros2/declarer.h"

#include "transport/ros2/rpc.h"
#include "transport/ros2/type_object.h"
#include "transport/ros2/warn.h"

// A channel's content cannot be changed once it is declared, so it is declared late: when the
// publishers that exist are known (their profiles are in its metadata) and its definition has
// arrived, or two seconds later. Its samples wait in the readers meanwhile, with their times of
// arrival, and none is lost, since the readers keep all.
//
// Only nodes on rmw_cyclonedds are asked, which the first two bytes of their GUIDs show (the vendor
// of RTPS): services of other middlewares have another form, and would not answer. Without a type
// hash there is nothing to check an answer by, so nobody is asked.

namespace kitbag::ros2 {

namespace {

/// A channel is declared when its definition is there, or after this. Its samples wait.
constexpr Duration kDefinitionPatience = std::chrono::seconds(2);

}  // namespace

void Declarer::look_for_definition(Topic& topic, dds_builtintopic_endpoint_t& publisher) {
  if (!topic.name.is_ros) {
    try {
      topic.definition = schema_of(participant_.get(), publisher);
    } catch (const Error& error) {
      warn(on_warning_, error.message() + "; its channel has no definition", topic.name.topic);
    }
    return;
  }
  Guid guid = guid_of(publisher.key);
  if (!is_cyclone(guid) || topic.type_hash.empty()) return;
  if (!topic.source) topic.give_up = participant_.clock().steady() + kDefinitionPatience;
  topic.source = guid;
}

void Declarer::declare_those_ready(bool at_once) {
  SteadyTime now = participant_.clock().steady();
  for (Topic& topic : readers_.topics()) {
    if (topic.channel || topic.profiles.empty()) continue;
    if (!at_once && now < topic.settled) continue;
    if (at_once || !awaits_definition(topic)) declare(topic);
  }
}

bool Declarer::awaits_definition(Topic& topic) {
  if (!topic.source || topic.definition) return false;
  const std::string& type = topic.name.type;
  std::string node = participant_.node_of(*topic.source);  // which may say later that it has it
  if (!node.empty()) descriptions_.ask(node, type, topic.type_hash);
  topic.definition = descriptions_.find(type, topic.type_hash);
  return !descriptions_.is_answered(type, topic.type_hash) &&
         participant_.clock().steady() < topic.give_up;
}

void Declarer::declare(Topic& topic) {
  Channel channel;
  channel.topic = topic.name.topic;
  channel.encoding = "cdr";
  channel.schema = topic.definition;
  // Without a language it is no definition; in one, an empty text defines a type without fields.
  if (!channel.schema) {
    channel.schema = std::make_shared<const Schema>(Schema{topic.name.type, {}, {}});
  }
  channel.metadata["offered_qos_profiles"] =
      rosbag2::print_qos(topic.profiles, rosbag2::QosForm::numbers);
  if (!topic.type_hash.empty()) channel.metadata["topic_type_hash"] = topic.type_hash;
  if (topic.is_keyed) channel.metadata[kKeyedKey] = "true";
  if (topic.is_xcdr2) channel.metadata[kRepresentationKey] = kXcdr2;
  topic.channel = feed_.add(std::move(channel));
  readers_.watch(topic);
}

}  // namespace kitbag::ros2
