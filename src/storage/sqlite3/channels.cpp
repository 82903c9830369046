#include <map>
#include <memory>
#include <utility>

#include "storage/sqlite3/tables.h"

namespace kitbag::sqlite3 {

namespace {

/// The definitions of a bag, found without a look at each.
class DefinitionIndex {
 public:
  explicit DefinitionIndex(const Content& content) : content_(content) {
    for (const Content::Definition& definition : content.definitions) {
      by_id_.emplace(definition.id, &definition);
      by_type_.emplace(definition.type, &definition);
      by_hash_.emplace(std::pair(definition.type, definition.type_hash), &definition);
    }
  }

  /// Of the definitions of the topic's type the one that is meant; null: there is none.
  const Content::Definition* find(const Content::Topic& topic) const {
    auto declared = content_.channel_definitions.find(topic.id);
    if (declared != content_.channel_definitions.end()) return at(by_id_, declared->second);
    const auto* exact = at(by_hash_, std::pair(topic.type, topic.type_hash));
    return exact ? exact : at(by_type_, topic.type);
  }

 private:
  template <class Map, class Key>
  static const Content::Definition* at(const Map& map, const Key& key) {
    auto found = map.find(key);
    return found == map.end() ? nullptr : found->second;
  }

  const Content& content_;
  // Where several are alike, the first.
  std::map<std::int64_t, const Content::Definition*> by_id_;
  std::map<std::string, const Content::Definition*> by_type_;
  std::map<std::pair<std::string, std::string>, const Content::Definition*> by_hash_;
};

SchemaPtr make_schema(const std::string& type, const Content::Definition* definition) {
  Schema schema{type, {}, {}};
  if (definition) {
    schema.language = definition->language;
    schema.text = definition->text;
  }
  return std::make_shared<const Schema>(std::move(schema));
}

}  // namespace

std::map<std::string, std::string> metadata_of(const Content::Topic& topic) {
  std::map<std::string, std::string> metadata;
  if (!topic.qos.empty()) metadata["offered_qos_profiles"] = topic.qos;
  if (!topic.type_hash.empty()) metadata["topic_type_hash"] = topic.type_hash;
  return metadata;
}

ChannelsPtr make_channels(const Content& content) {
  auto channels = std::make_shared<Channels>();
  DefinitionIndex definitions(content);
  std::map<std::pair<const Content::Definition*, std::string>, SchemaPtr> schemas;
  for (const Content::Topic& topic : content.topics) {
    auto channel = std::make_shared<Channel>();
    channel->slot = static_cast<std::uint32_t>(channels->size());
    channel->topic = topic.name;
    // The very first bags do not say; they have the only encoding of their time.
    channel->encoding = topic.encoding.empty() ? "cdr" : topic.encoding;
    if (!topic.type.empty()) {
      const Content::Definition* definition = definitions.find(topic);
      SchemaPtr& schema = schemas[{definition, topic.type}];
      if (!schema) schema = make_schema(topic.type, definition);
      channel->schema = schema;
    }
    auto kept = content.channel_metadata.find(topic.id);
    channel->metadata = kept != content.channel_metadata.end() ? kept->second : metadata_of(topic);
    channels->push_back(std::move(channel));
  }
  return channels;
}

}  // namespace kitbag::sqlite3
