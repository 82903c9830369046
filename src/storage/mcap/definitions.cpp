#include "storage/mcap/definitions.h"

#include <algorithm>
#include <tuple>

// The records are kept as bytes, and channels are made of them when somebody asks. Writers repeat
// the records: in each chunk that needs them, and in the summary. Comparing bytes settles nearly
// all of these repetitions without parsing. Only where the bytes differ the fields are compared,
// since bytes after the last known field may differ.
//
// A schema may come after the channels that refer to it. So a channel keeps the id, and
// are_complete() says at the end whether every schema was found.

namespace kitbag::mcap {

namespace {

bool says_same(const SchemaRecord& a, const SchemaRecord& b) {
  return a.name == b.name && a.encoding == b.encoding && as_text(a.data) == as_text(b.data);
}

bool says_same(const ChannelRecord& a, const ChannelRecord& b) {
  auto key = [](const ChannelRecord& c) {
    return std::tie(c.schema_id, c.topic, c.message_encoding, c.metadata);
  };
  return key(a) == key(b);
}

/// Adds `content`, which says `record`, to the records of its kind. Bytes behind the last field may
/// differ.
template <class Parse, class RecordType>
Definitions::Added add_record(std::map<std::uint16_t, std::string>& known, ByteView content,
                              const RecordType& record, Parse&& parse) {
  auto [it, is_new] = known.try_emplace(record.id, as_text(content));
  if (is_new) return Definitions::Added::news;
  if (it->second == as_text(content) || says_same(*parse(as_bytes(it->second)), record)) {
    return Definitions::Added::known;
  }
  return Definitions::Added::contradiction;
}

}  // namespace

Definitions::Added Definitions::add_schema(ByteView content) {
  auto schema = parse_schema(content);
  if (!schema) return Added::malformed;
  return add_record(schemas_, content, *schema, parse_schema);
}

Definitions::Added Definitions::add_channel(ByteView content) {
  // Most are those of the chunk before, word by word.
  if (content.size() >= sizeof(std::uint16_t)) {
    auto known = channels_.find(load_le<std::uint16_t>(content.data()));
    if (known != channels_.end() && known->second == as_text(content)) return Added::known;
  }
  auto channel = parse_channel(content);
  if (!channel) return Added::malformed;
  Added added = add_record(channels_, content, *channel, parse_channel);
  if (added != Added::news) return added;
  if (channel->id >= slots_.size()) slots_.resize(std::size_t{channel->id} + 1, kNone);
  slots_[channel->id] = static_cast<std::uint32_t>(ids_.size());
  ids_.push_back(channel->id);
  return added;
}

bool Definitions::agrees_with(bool is_schema, ByteView content) const {
  if (content.size() < sizeof(std::uint16_t)) return false;
  const auto& all = is_schema ? schemas_ : channels_;
  auto known = all.find(load_le<std::uint16_t>(content.data()));
  if (known == all.end()) return true;
  if (known->second == as_text(content)) return true;
  ByteView own = as_bytes(known->second);
  if (is_schema) {
    auto record = parse_schema(content);
    return record && says_same(*parse_schema(own), *record);
  }
  auto record = parse_channel(content);
  return record && says_same(*parse_channel(own), *record);
}

bool Definitions::are_complete() const {
  return std::all_of(channels_.begin(), channels_.end(), [this](const auto& channel) {
    std::uint16_t schema = parse_channel(as_bytes(channel.second))->schema_id;
    return schema == 0 || schemas_.contains(schema);
  });
}

ChannelPtr Definitions::make_channel(std::size_t slot, Schemas& made) const {
  auto record = parse_channel(as_bytes(channels_.at(ids_[slot])));
  auto channel = std::make_shared<Channel>();
  channel->slot = static_cast<std::uint32_t>(slot);
  channel->topic = record->topic;
  channel->encoding = record->message_encoding;
  channel->metadata = std::move(record->metadata);
  auto content = schemas_.find(record->schema_id);
  if (content == schemas_.end()) return channel;
  SchemaPtr& schema = made[record->schema_id];
  if (!schema) {
    auto declared = parse_schema(as_bytes(content->second));
    schema = std::make_shared<const Schema>(Schema{std::string(declared->name),
                                                   std::string(declared->encoding),
                                                   std::string(as_text(declared->data))});
  }
  channel->schema = schema;
  return channel;
}

ChannelsPtr Definitions::channels() const {
  Schemas made;
  auto channels = std::make_shared<Channels>();
  for (std::size_t slot = 0; slot < ids_.size(); ++slot) {
    channels->push_back(make_channel(slot, made));
  }
  return channels;
}

ChannelPtr Definitions::newest() {
  return make_channel(ids_.size() - 1, made_);
}

}  // namespace kitbag::mcap
