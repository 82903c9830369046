#include "transport/framing/channel_book.h"

#include <functional>
#include <utility>

// Two indexes over the same entries. By content: what a header says is hashed and compared, so that
// messages that describe themselves find their channel without an id. By topic and id: for headers
// that only name it. The key joins topic and id with a zero byte.
//
// Definitions are the bulk, and a thousand channels may share one, so equal schemas are stored
// once. The bounds count what is stored, with estimates for the nodes of the tables (kEntryBytes,
// kMetadataBytes): small entries would otherwise take much more memory than they count. Entries are
// never removed, so what points at them stays valid.

namespace kitbag::framing {

namespace {

/// What an entry takes beside its texts, roughly.
constexpr std::size_t kEntryBytes = 512;

class Hash {
 public:
  Hash& add(std::string_view text) {
    value_ = (value_ ^ std::hash<std::string_view>()(text)) * 0x9e3779b97f4a7c15;
    return *this;
  }
  std::size_t value() const { return value_; }

 private:
  std::size_t value_ = 0;
};

std::size_t hash_of(const Schema& schema) {
  return Hash().add(schema.name).add(schema.language).add(schema.text).value();
}

std::size_t hash_of(std::string_view topic, const Header& header) {
  Hash hash;
  hash.add(topic).add(header.encoding);
  if (header.schema) hash.add(header.schema->name).add(header.schema->text);
  for (const auto& [key, value] : header.metadata) hash.add(key).add(value);
  return hash.value();
}

bool is_of(const Channel& channel, std::string_view topic, const Header& header) {
  bool has_schema = channel.schema != nullptr;
  return channel.topic == topic && channel.encoding == header.encoding &&
         has_schema == header.schema.has_value() &&
         (!has_schema || *channel.schema == *header.schema) && channel.metadata == header.metadata;
}

std::size_t bytes_of(std::string_view topic, const Header& header) {
  std::size_t bytes = kEntryBytes + topic.size() + header.encoding.size();
  for (const auto& [key, value] : header.metadata) {
    bytes += kMetadataBytes + key.size() + value.size();
  }
  return bytes;
}

std::size_t bytes_of(const Schema& schema) {
  return schema.name.size() + schema.language.size() + schema.text.size();
}

}  // namespace

/// Equal schemas are one, however many channels have it. Null: there is no room.
SchemaPtr ChannelBook::intern(const Schema& schema) {
  std::size_t hash = hash_of(schema);
  auto [first, last] = schemas_.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    if (*known->second == schema) return known->second;
  }
  if (!has_room(bytes_of(schema))) return nullptr;
  bytes_ += bytes_of(schema);
  return schemas_.emplace(hash, std::make_shared<const Schema>(schema))->second;
}

ChannelBook::Entry* ChannelBook::find_or_add(std::string_view topic, const Header& header) {
  std::size_t hash = hash_of(topic, header);
  auto [first, last] = channels_.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    if (is_of(known->second->content, topic, header)) return known->second.get();
  }
  std::size_t bytes = bytes_of(topic, header);
  if (channels_.size() >= limits_.channels || !has_room(bytes)) return nullptr;
  auto entry = std::make_unique<Entry>();
  if (header.schema) {
    entry->content.schema = intern(*header.schema);
    if (!entry->content.schema || !has_room(bytes)) return nullptr;
  }
  bytes_ += bytes;
  entry->content.topic = topic;
  entry->content.encoding = header.encoding;
  entry->content.metadata = header.metadata;
  return channels_.emplace(hash, std::move(entry))->second.get();
}

/// The topic belongs to it: two senders may mean different channels by one id.
const std::string& ChannelBook::key(std::string_view topic, std::string_view id) {
  key_.assign(topic).append(1, '\0').append(id);
  return key_;
}

bool ChannelBook::describe(std::string_view topic, std::string_view id, Entry& entry) {
  auto known = described_.find(key(topic, id));
  if (known != described_.end()) {
    known->second = &entry;
    return true;
  }
  std::size_t bytes = key_.size() + kMetadataBytes;
  if (described_.size() >= limits_.channels || !has_room(bytes)) return false;
  bytes_ += bytes;
  described_.emplace(key_, &entry);
  return true;
}

ChannelBook::Entry* ChannelBook::described(std::string_view topic, std::string_view id) {
  auto known = described_.find(key(topic, id));
  return known == described_.end() ? nullptr : known->second;
}

}  // namespace kitbag::framing
