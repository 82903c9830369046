#include "kitbag/transcode.h"
#include "kitbag/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "definitions/definition_library.h"
#include "definitions/fingerprint.h"
#include "kitbag/error.h"
#include "kitbag/rosbag2.h"
#include "kitbag/text.h"
#include "language/ros/names.h"
#include "payload/bridge.h"
#include "payload/carrier.h"
#include "payload/mapping.h"
#include "payload/path_finder.h"

namespace kitbag {

namespace {

constexpr const char* kQosKey = "offered_qos_profiles";
/// What a type was called before it was brought to another world, which calls it otherwise.
constexpr const char* kOriginalTypeKey = "original_type";

/// What one channel's messages go through.
struct Lane {
  ChannelPtr channel;  ///< as it came
  TypePtr source;
  TypePtr target;
  std::unique_ptr<Decoder> decoder;
  std::unique_ptr<Encoder> encoder;
  Migration migration;  ///< what of the rules is about this channel
  /// Null: the target's type is the source's.
  std::unique_ptr<Mappings> mappings;
  std::unique_ptr<Carrier> carrier;
  bool counts_down = false;  ///< the target's header takes the sequence, which messages then lose

  Visitor& receiver() { return carrier ? static_cast<Visitor&>(*carrier) : *encoder; }
};

/// A message without fields has an empty definition by right.
bool has_definition(const Channel& channel, const Session& session) {
  const Schema* schema = channel.schema.get();
  if (!schema || schema->text.find_first_not_of(" \t\r\n") != std::string::npos) {
    return schema != nullptr;
  }
  const Language* language = find_language(session.registry(), schema->language);
  return language && language->files && !lacks_definition(channel, *language->files);
}

bool has_leading_counter(const Type& type) {
  auto is_counter = [](const Field& field) { return field.is_sequence; };
  if (type.fields.empty()) return false;
  const Type& first = *type.fields.front().type;
  return std::any_of(type.fields.begin(), type.fields.end(), is_counter) ||
         std::any_of(first.fields.begin(), first.fields.end(), is_counter);
}

class Transcode final : public Stage {
 public:
  Transcode(TranscodeOptions options, const Session& session)
      : options_(std::move(options)),
        session_(session),
        codec_(find_codec(session.registry(), options_.encoding)),
        library_(options_.to_definitions, session) {
    if (codec_ || options_.encoding.empty()) return;
    std::vector<std::string_view> known;
    for (const Codec& codec : session.registry().codecs) known.push_back(codec.encoding);
    throw Error(ErrorCode::invalid, fmt::format("unknown encoding \"{}\"; supported encodings: {}",
                                                options_.encoding, fmt::join(known, ", ")));
  }

  ChannelPtr map(const ChannelPtr& channel) override;
  void apply(Batch& batch) override;

  /// Throws as map() does.
  Evolution evolution_of(const Channel& channel);

 private:
  /// What becomes of the type of a channel: nothing, if there is no new definition of it.
  struct Evolved {
    std::optional<Schema> schema;
    TypePtr type;
  };

  Evolved evolve(const Channel& channel, const TypePtr& source);
  bool has_definitions() const { return !options_.to_definitions.empty(); }
  ChannelPtr transcoded(const ChannelPtr& channel, const Codec& codec, Lane& lane);
  ChannelPtr bridged(const ChannelPtr& channel, const Codec& codec, Lane& lane,
                     const Bridge& bridge);
  std::string other_name_of(const Channel& channel, const Language& language) const;
  void rename(Lane& lane, const std::string& name) const;
  static void keep_name(const Channel& from, Channel& to);
  std::map<std::string, std::string> metadata_of(const Channel& channel, const Language& language,
                                                 const Schema& schema, const Type& type) const;
  ByteView encode(Lane& lane, Message& message);
  void take_error(Lane& lane, const Message& message, const Error& error);
  TranscodeReport::Topic* report(const Channel& channel) {
    return options_.report ? &options_.report->topics[channel.topic] : nullptr;
  }

  TranscodeOptions options_;
  Session session_;
  const Codec* codec_;  ///< null: that of each channel
  DefinitionLibrary library_;
  std::vector<std::unique_ptr<Lane>> lanes_;  ///< by slot; null: nothing is to be done
  Arena arena_;
};

ChannelPtr Transcode::map(const ChannelPtr& channel) {
  if (lanes_.size() <= channel->slot) lanes_.resize(channel->slot + 1);
  const Codec* codec = codec_ ? codec_ : find_codec(session_.registry(), channel->encoding);
  if (!codec || (channel->encoding == codec->encoding && !has_definitions())) return channel;
  auto lane = std::make_unique<Lane>();
  lane->channel = channel;
  try {
    ChannelPtr mapped = transcoded(channel, *codec, *lane);
    if (mapped != channel) lanes_[channel->slot] = std::move(lane);
    return mapped;
  } catch (const Error& error) {
    if (options_.on_error == OnError::stop || is_final(error.code())) throw;
    if (TranscodeReport::Topic* topic = report(*channel)) topic->first_error = error.message();
    return options_.on_error == OnError::raw ? channel : nullptr;
  }
}

Transcode::Evolved Transcode::evolve(const Channel& channel, const TypePtr& source) {
  if (!has_definitions() || !source || !channel.schema) return {};
  const auto& renamed = options_.migration.types;
  const std::string& old_name = channel.schema->name;
  auto found = renamed.find(old_name);
  if (found == renamed.end()) found = renamed.find(ros::short_name(old_name));
  Evolved evolved;
  evolved.schema =
      library_.find(found == renamed.end() ? old_name : found->second, channel.schema->language);
  if (!evolved.schema) return {};
  const Language& language = *find_language(session_.registry(), channel.schema->language);
  evolved.type = language.parse(*evolved.schema);
  if (found == renamed.end() && same_shape(*source, *evolved.type)) return {};
  Mappings(Fit::evolution, options_.migration, language).compile(*source, *evolved.type);
  return evolved;
}

Evolution Transcode::evolution_of(const Channel& channel) {
  try {
    Evolved evolved = evolve(channel, type_of(channel, session_));
    if (evolved.schema) return {Evolution::Outcome::carried, evolved.schema->name, {}};
    bool is_known =
        channel.schema && library_.find(channel.schema->name, channel.schema->language).has_value();
    if (is_known) return {Evolution::Outcome::same, channel.schema->name, {}};
    return {Evolution::Outcome::undefined, {}, "no target definition found"};
  } catch (const Error& error) {
    if (is_final(error.code())) throw;
    bool is_refused = error.code() == ErrorCode::unsupported;
    return {is_refused ? Evolution::Outcome::refused : Evolution::Outcome::undefined,
            {},
            error.message()};
  }
}

/// The metadata of `channel` with what is the old world's replaced by what is the new one's.
std::map<std::string, std::string> Transcode::metadata_of(const Channel& channel,
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

/// What the rules, the channel itself or the bridge between the worlds call its type there.
std::string Transcode::other_name_of(const Channel& channel, const Language& language) const {
  std::string name = ros::short_name(channel.type());
  const auto& types = options_.migration.types;
  auto ruled = types.find(channel.type());
  if (ruled == types.end()) ruled = types.find(name);
  if (ruled != types.end()) return ruled->second;
  auto original = channel.metadata.find(kOriginalTypeKey);
  if (original != channel.metadata.end() && language.name == "ros1msg") return original->second;
  return bridged_name(name, language.name);
}

void Transcode::rename(Lane& lane, const std::string& name) const {
  const auto& rules = options_.migration.fields;
  auto fields = rules.find(name);
  if (fields == rules.end()) fields = rules.find(ros::short_name(name));
  bool has_fields = fields != rules.end();
  lane.target = renamed(lane.target, name, has_fields ? &fields->second : nullptr);
  if (has_fields) lane.migration.fields[lane.target->name] = fields->second;
}

/// So that it is there on the way back.
void Transcode::keep_name(const Channel& from, Channel& to) {
  bool is_back = from.metadata.contains(kOriginalTypeKey);
  if (is_back) {
    to.metadata.erase(kOriginalTypeKey);
  } else if (from.schema->language == "ros1msg") {
    to.metadata[kOriginalTypeKey] = from.type();
  }
}

ChannelPtr Transcode::bridged(const ChannelPtr& channel, const Codec& codec, Lane& lane,
                              const Bridge& bridge) {
  lane.decoder = find_codec(session_.registry(), channel->encoding)->decoder(bridge.source);
  lane.source = bridge.source;
  lane.target = bridge.target;
  lane.encoder = codec.encoder(lane.target, options_.codec);
  const Language& language = *find_language(session_.registry(), codec.language);
  lane.mappings = std::make_unique<Mappings>(Fit::same, lane.migration, language, bridge.values);
  const Mapping& mapping = lane.mappings->compile(*lane.source, *lane.target);
  lane.carrier = std::make_unique<Carrier>(mapping, *lane.encoder);
  lane.counts_down = has_leading_counter(*lane.target) && !has_leading_counter(*lane.source);
  if (TranscodeReport::Topic* topic = report(*channel)) {
    for (const Field& field : lane.source->fields) {
      bool has_place = mapping.targets[field.index] != Mapping::kDropped || field.is_sequence;
      // A topic may have several channels, and each of their fields is named once.
      bool is_named =
          (", " + topic->left_out + ",").find(", " + field.name + ",") != std::string::npos;
      if (has_place || is_named) continue;
      topic->left_out += (topic->left_out.empty() ? "" : ", ") + field.name;
    }
  }
  auto made = std::make_shared<Channel>(*channel);
  made->encoding = codec.encoding;
  made->schema = std::make_shared<const Schema>(bridge.schema);
  made->metadata = metadata_of(*channel, language, bridge.schema, *bridge.schema_type);
  return made;
}

ChannelPtr Transcode::transcoded(const ChannelPtr& channel, const Codec& codec, Lane& lane) {
  lane.source = type_of(*channel, session_);
  lane.decoder = decoder_of(*channel, session_);
  auto made = std::make_shared<Channel>(*channel);
  made->encoding = codec.encoding;
  try {
    Evolved evolved = evolve(*channel, lane.source);
    bool is_other = channel->encoding != codec.encoding;
    if (!is_other && !evolved.schema) return channel;
    if (!lane.source && !codec.is_self_describing) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("the channel has no schema that describes its {} payloads",
                              channel->encoding));
    }
    std::optional<Bridge> bridge;
    if (is_other && !evolved.schema && lane.source) {
      bridge = find_bridge(*channel->schema, lane.source, codec.language, session_);
    }
    if (bridge) return bridged(channel, codec, lane, *bridge);
    TypePtr base = evolved.type ? evolved.type : lane.source;
    std::string_view name = is_other ? codec.language : std::string_view(channel->schema->language);
    const Language* language = find_language(session_.registry(), name);
    bool has_own = base && language && (language->print || !is_other);
    bool is_adapted = is_other && has_own && language->adapt;
    lane.target = is_adapted ? language->adapt(*base) : base;
    std::string other_name =
        is_adapted && !evolved.schema ? other_name_of(*channel, *language) : std::string();
    if (!other_name.empty()) rename(lane, other_name);
    lane.encoder = codec.encoder(lane.target, options_.codec);
    if (lane.source && lane.target != lane.source) {
      if (has_definitions()) lane.migration = options_.migration;
      const Language* own = find_language(session_.registry(), channel->schema->language);
      lane.mappings =
          std::make_unique<Mappings>(Fit::same, lane.migration, is_adapted ? *language : *own);
      lane.carrier = std::make_unique<Carrier>(lane.mappings->compile(*lane.source, *lane.target),
                                               *lane.encoder);
      lane.counts_down = has_leading_counter(*lane.target) && !has_leading_counter(*lane.source);
    }
    if (has_own) {
      Schema schema = is_other ? language->print(*lane.target) : *evolved.schema;
      made->schema = std::make_shared<const Schema>(std::move(schema));
      made->metadata = metadata_of(*channel, *language, *made->schema, *lane.target);
      if (!other_name.empty()) keep_name(*channel, *made);
    }
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("{} as {}: {}", channel->topic,
                            options_.encoding.empty() ? channel->type() : options_.encoding,
                            error.message()));
  }
  return made;
}

ByteView Transcode::encode(Lane& lane, Message& message) {
  if (lane.carrier) lane.carrier->begin(message.sequence, message.data.size());
  std::uint64_t replaced = lane.encoder->replaced_bytes();
  arena_.limit_for(message.data.size());
  lane.encoder->begin(arena_);
  lane.decoder->decode(message.data, lane.receiver());
  ByteView encoded = lane.encoder->end();
  if (lane.encoder->replaced_bytes() > replaced) {
    if (TranscodeReport::Topic* topic = report(*lane.channel)) ++topic->replaced_texts;
  }
  if (lane.carrier) {
    if (auto sequence = lane.carrier->sequence()) message.sequence = *sequence;
    if (lane.counts_down) message.sequence = 0;
    if (lane.carrier->has_lost_counters()) {
      if (TranscodeReport::Topic* topic = report(*lane.channel)) ++topic->lost_counters;
    }
  }
  return encoded;
}

/// A message of a channel that has another encoding now cannot stay as it is: OnError::raw leaves
/// it out, too. One that a stranger sends must not end a recording.
void Transcode::take_error(Lane& lane, const Message& message, const Error& error) {
  Message as_it_came = message;
  as_it_came.channel = lane.channel.get();
  if (lane.carrier) lane.carrier->begin(message.sequence, message.data.size());
  lane.encoder->begin(arena_);
  Error located_error = located(error, as_it_came, *lane.decoder, &lane.receiver());
  arena_.drop();
  if (options_.on_error == OnError::stop) throw located_error;
  if (TranscodeReport::Topic* topic = report(*lane.channel)) {
    if (topic->skipped++ == 0) topic->first_error = located_error.message();
  }
}

void Transcode::apply(Batch& batch) {
  bool has_changed = false;
  batch.drop_if([&](Message& message) {
    Lane* lane = lanes_[message.channel->slot].get();
    if (!lane) return false;
    try {
      batch.set_data(message, encode(*lane, message));
      has_changed = true;
      return false;
    } catch (const Error& error) {
      if (is_final(error.code())) throw;
      take_error(*lane, message, error);
      return true;
    }
  });
  if (!has_changed) return;
  std::size_t size = arena_.size();
  batch.keep(arena_.release(), size);
}

}  // namespace

std::unique_ptr<Stage> transcode(TranscodeOptions options, const Session& session) {
  return std::make_unique<Transcode>(std::move(options), session);
}

Evolution evolution_of(const Channel& channel, const TranscodeOptions& options,
                       const Session& session) {
  return Transcode(options, session).evolution_of(channel);
}

bool is_decodable(const Channel& channel, const Session& session) {
  const Codec* codec = find_codec(session.registry(), channel.encoding);
  if (!codec) return false;
  return codec->is_self_describing || (has_definition(channel, session) &&
                                       find_language(session.registry(), channel.schema->language));
}

TypePtr type_of(const Channel& channel, const Session& session) {
  const Codec* codec = find_codec(session.registry(), channel.encoding);
  const Schema* schema = channel.schema.get();
  if (!has_definition(channel, session)) {
    if (codec && codec->is_self_describing) return nullptr;
    throw Error(ErrorCode::not_found,
                fmt::format("{}: no definition of {} found; specify a folder that contains it",
                            channel.topic, schema ? schema->name : "its type"));
  }
  const Language* language = find_language(session.registry(), schema->language);
  if (!language) {
    if (codec && codec->is_self_describing) return nullptr;
    throw Error(ErrorCode::unsupported, fmt::format("{}: definitions in \"{}\" cannot be read",
                                                    channel.topic, schema->language));
  }
  try {
    return language->parse(*schema);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", channel.topic, error.message()));
  }
}

std::unique_ptr<Decoder> decoder_of(const Channel& channel, const Session& session) {
  const Codec* codec = find_codec(session.registry(), channel.encoding);
  if (!codec) {
    throw Error(ErrorCode::unsupported, fmt::format("{}: payloads in \"{}\" cannot be decoded",
                                                    channel.topic, channel.encoding));
  }
  TypePtr type = type_of(channel, session);
  try {
    return codec->decoder(type);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", channel.topic, error.message()));
  }
}

Error located(const Error& error, const Message& message, Decoder& decoder, Visitor* visitor) {
  PathFinder finder(visitor);
  try {
    decoder.decode(message.data, finder);
  } catch (const Error& again) {  // the same, at the same place
    if (is_final(again.code())) throw;
  }
  std::string path = finder.path();
  std::string where =
      fmt::format("{} at {}", message.channel->topic, format_time(message.log_time));
  if (!path.empty()) where += fmt::format(", field {}", path);
  return {error.code(), fmt::format("{}: {}", where, error.message())};
}

}  // namespace kitbag
