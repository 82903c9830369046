#include "payload/lane.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "kitbag/error.h"
#include "kitbag/rosbag2.h"
#include "language/ros/names.h"

// The order of decisions for a channel: a later definition, if the user gave folders with one;
// else, if the encoding changes, a bridge for the few types whose counterparts in ROS 1 and ROS 2
// differ; else the type is adapted to the other language by its rules, under another name if there
// is one. A bridge is never used for a later definition, since its two texts are those of the
// standard types.
//
// `counts_down`: if only the target's header has a counter, the sequence number of the message
// moves into the header, where it was before, and is taken from the message.

namespace kitbag {

namespace {

constexpr const char* kQosKey = "offered_qos_profiles";

bool has_leading_counter(const Type& type) {
  auto is_counter = [](const Field& field) { return field.is_sequence; };
  if (type.fields.empty()) return false;
  const Type& first = *type.fields.front().type;
  return std::any_of(type.fields.begin(), type.fields.end(), is_counter) ||
         std::any_of(first.fields.begin(), first.fields.end(), is_counter);
}

/// Between the decoder and the encoder.
const Mapping& put_carrier(Lane& lane, const Language& language, const Renumbering& values) {
  lane.mappings = std::make_unique<Mappings>(Fit::same, lane.migration, language, nullptr, values);
  const Mapping& mapping = lane.mappings->compile(*lane.source, *lane.target);
  lane.carrier = std::make_unique<Carrier>(mapping, *lane.encoder);
  lane.counts_down = has_leading_counter(*lane.target) && !has_leading_counter(*lane.source);
  return mapping;
}

}  // namespace

/// The metadata of `channel`, with the keys of the old world replaced by those of the new one.
std::map<std::string, std::string> LaneBuilder::metadata_of(const Channel& channel,
                                                            const Language& language,
                                                            const Schema& schema,
                                                            const Type& type) const {
  auto metadata = channel.metadata;
  if (const Language* old = find_language(session_.registry(), channel.schema->language)) {
    for (std::string_view key : old->metadata_keys) metadata.erase(std::string(key));
  }
  if (language.metadata) {
    for (auto& [key, value] : language.metadata(schema, type)) metadata[key] = value;
  }
  const auto& keys = language.metadata_keys;
  bool has_qos = std::find(keys.begin(), keys.end(), kQosKey) != keys.end();
  if (has_qos) {
    metadata[kQosKey] = rosbag2::qos_of(channel, rosbag2::QosForm::numbers);
  } else if (is_latched(channel)) {
    metadata["latching"] = "1";
  }
  return metadata;
}

/// The rule that gives its type another name; null: none does.
const std::pair<const std::string, std::string>* LaneBuilder::rule_for(
    const Channel& channel) const {
  const auto& types = options_.migration.types;
  auto rule = types.find(channel.type());
  if (rule == types.end()) rule = types.find(ros::short_name(channel.type()));
  return rule == types.end() ? nullptr : &*rule;
}

void LaneBuilder::note_use(const std::string& rule) const {
  if (options_.report) options_.report->rules[rule] = true;
}

/// Gives the target this name, and its fields those of the rules.
void LaneBuilder::rename(Lane& lane, const std::string& name) const {
  const auto& rules = options_.migration.fields;
  auto rule = std::find_if(rules.begin(), rules.end(), [&](const auto& each) {
    return ros::short_name(each.first) == ros::short_name(name);
  });
  const auto* fields = rule == rules.end() ? nullptr : &rule->second;
  if (!fields && name == lane.target->name) return;
  bool has_fields =
      fields && std::any_of(lane.target->fields.begin(), lane.target->fields.end(),
                            [&](const Field& field) { return fields->contains(field.name); });
  if (has_fields) note_use(rule->first);
  lane.target = renamed(lane.target, name, fields);
  if (fields) lane.migration.fields[lane.target->name] = *fields;
}

ChannelPtr LaneBuilder::bridged(const ChannelPtr& channel, const Codec& codec, Lane& lane,
                                const Bridge& bridge) {
  lane.decoder = find_codec(session_.registry(), channel->encoding)->decoder(bridge.source);
  lane.source = bridge.source;
  lane.target = bridge.target;
  lane.encoder = codec.encoder(lane.target, options_.codec);
  const Language& language = *find_language(session_.registry(), codec.language);
  const Mapping& mapping = put_carrier(lane, language, bridge.values);
  for (const Field& field : lane.source->fields) {
    bool has_place = mapping.targets[field.index] != Mapping::kDropped || field.is_sequence;
    if (!has_place) lane.left_out.push_back(field.name);
  }
  auto made = std::make_shared<Channel>(*channel);
  made->encoding = codec.encoding;
  made->schema = std::make_shared<const Schema>(bridge.schema);
  made->metadata = metadata_of(*channel, language, bridge.schema, *bridge.schema_type);
  return made;
}

ChannelPtr LaneBuilder::build(const ChannelPtr& channel, const Codec& codec, Lane& lane) {
  lane.channel = channel;
  lane.source = type_of(*channel, session_);
  lane.decoder = decoder_of(*channel, session_);
  try {
    return converted(channel, codec, lane);
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("{} as {}: {}", channel->topic,
                            options_.encoding.empty() ? channel->type() : options_.encoding,
                            error.message()));
  }
}

ChannelPtr LaneBuilder::converted(const ChannelPtr& channel, const Codec& codec, Lane& lane) {
  Evolved evolved = evolver_.evolve(*channel, lane.source);
  bool is_other = channel->encoding != codec.encoding;
  if (!is_other && !evolved.schema) return channel;
  if (!lane.source && !codec.is_self_describing) {
    throw Error(
        ErrorCode::unsupported,
        fmt::format("the channel has no schema that describes its {} payloads", channel->encoding));
  }
  const auto* rule = evolved.schema ? nullptr : rule_for(*channel);
  std::optional<Bridge> bridge;
  if (is_other && !evolved.schema && !rule && lane.source) {
    bridge = find_bridge(*channel->schema, lane.source, codec.language, session_);
  }
  if (bridge) return bridged(channel, codec, lane, *bridge);
  TypePtr base = evolved.type ? evolved.type : lane.source;
  std::string_view name = is_other ? codec.language : std::string_view(channel->schema->language);
  const Language* language = find_language(session_.registry(), name);
  // Without a printer, or without a type, the channel keeps its schema beside the new payloads.
  bool has_own = base && language && (language->print || !is_other);
  bool is_adapted = is_other && has_own && language->adapt;
  lane.target = is_adapted ? language->adapt(*base) : base;
  std::string other_name;
  if (is_adapted && !evolved.schema) {
    if (rule) note_use(rule->first);
    other_name = rule ? rule->second : bridged_name(*channel, language->name);
    rename(lane, other_name.empty() ? lane.target->name : other_name);
  }
  lane.encoder = codec.encoder(lane.target, options_.codec);
  if (lane.source && lane.target != lane.source) {
    if (evolved.schema) lane.migration = options_.migration;
    const Language* own = find_language(session_.registry(), channel->schema->language);
    put_carrier(lane, is_adapted ? *language : *own, {});
  }
  auto made = std::make_shared<Channel>(*channel);
  made->encoding = codec.encoding;
  if (has_own) {
    Schema schema = is_other ? language->print(*lane.target) : *evolved.schema;
    made->schema = std::make_shared<const Schema>(std::move(schema));
    made->metadata = metadata_of(*channel, *language, *made->schema, *lane.target);
    if (!other_name.empty()) keep_name(*channel, *made);
  }
  return made;
}

}  // namespace kitbag
