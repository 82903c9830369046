#include "storage/rosbag/connections.h"

#include <algorithm>
#include <utility>

#include "kitbag/error.h"
#include "storage/rosbag/md5sum.h"

// One connection is described several times: in the index, and in each chunk before its first
// message there. Recorders of 2010 wrote only parts: the topic here, the type there, the definition
// in a record of its own. So records of one id are merged, as long as one of them contains all that
// the other one says. A field with two values is a contradiction.
//
// Fields that nobody knows are kept as metadata of the channel and written again. What kitbag adds
// for messages in other encodings than ROS 1's (message_encoding, schema_encoding) are such fields
// to other programs.
//
// Version 1.3 has topics and no connections. There each topic gets an id when it first appears, so
// that everything behind this sees connections only.

namespace kitbag::rosbag {

namespace {

// What a connection is whose messages are not ROS 1's; a bag has no fields of its own for that.
constexpr const char* kMessageEncoding = "message_encoding";
constexpr const char* kSchemaEncoding = "schema_encoding";  ///< "": there is no definition

/// Moves a field out of a connection header; "" where it is absent.
std::string take_field(FieldMap& fields, const char* name) {
  auto node = fields.extract(name);
  return node.empty() ? std::string() : std::move(node.mapped());
}

/// Every field of `part` stands in `whole` with the same value.
bool holds_all(const FieldMap& whole, const FieldMap& part) {
  return std::all_of(part.begin(), part.end(), [&](const auto& field) {
    auto other = whole.find(field.first);
    return other != whole.end() && other->second == field.second;
  });
}

FieldMap field_map(const Fields& fields) {
  FieldMap map;
  for (const auto& [name, value] : fields) map.emplace(name, as_text(value));
  return map;
}

/// A record of a first draft may leave the topic to another one.
bool is_same_topic(const std::optional<std::string>& known,
                   const std::optional<std::string>& said) {
  return !known || !said || *known == *said;
}

std::optional<std::string> topic_of(const Record& record) {
  auto topic = record.header.find("topic");
  return topic ? std::optional<std::string>(as_text(*topic)) : std::nullopt;
}

/// Version 1.0 knew types that nobody wrote down, "*", which makes the real rosbag fail on the
/// whole bag.
void name_unknown_type(FieldMap& fields) {
  fields["original_type"] = std::exchange(fields["type"], "unknown/Unknown");
  fields["original_md5sum"] = std::exchange(fields["md5sum"], "*");
}

}  // namespace

void append_connection(Buffer& out, std::uint32_t connection, const Channel& channel) {
  FieldMap fields = channel.metadata;
  if (channel.encoding != "ros1") fields[kMessageEncoding] = channel.encoding;
  if (!channel.schema) {
    fields[kSchemaEncoding] = "";
  } else if (channel.schema->language != "ros1msg") {
    fields[kSchemaEncoding] = channel.schema->language;
  }
  fields.try_emplace("topic", channel.topic);
  fields["md5sum"] = md5sum_of(channel);
  fields["type"] = channel.type();
  if (channel.type() == "*") name_unknown_type(fields);
  fields["message_definition"] = channel.schema ? channel.schema->text : std::string();
  Buffer data;
  for (const auto& [name, value] : fields) append_field(data, name, value);
  RecordWriter(out, Op::connection)
      .field("conn", connection)
      .field("topic", channel.topic)
      .data(data.view());
}

std::optional<std::uint32_t> Connections::sparse_slot(std::uint32_t connection) const {
  auto it = sparse_.find(connection);
  if (it == sparse_.end()) return std::nullopt;
  return it->second;
}

Connections::Entry& Connections::entry(std::uint32_t connection, bool& is_new) {
  auto known = slot(connection);
  is_new = !known;
  if (known) return entries_[*known];
  auto slot = static_cast<std::uint32_t>(entries_.size());
  if (connection < kDenseIds) {
    if (connection >= dense_.size()) dense_.resize(connection + 1, kNone);
    dense_[connection] = slot;
  } else {
    sparse_[connection] = slot;
  }
  return entries_.emplace_back(Entry{.id = connection, .topic = {}, .fields = {}});
}

std::optional<std::uint32_t> Connections::id_of(const Record& record) {
  auto id = record.header.number<std::uint32_t>("conn");
  return id ? id : record.header.number<std::uint32_t>("id");  // first drafts
}

bool Connections::agrees_with(const Record& record) const {
  auto id = id_of(record);
  auto fields = Fields::parse(record.data);
  auto known_slot = id ? slot(*id) : std::nullopt;
  if (!known_slot || !fields) return false;
  const Entry& known = entries_[*known_slot];
  if (!is_same_topic(known.topic, topic_of(record))) return false;
  FieldMap said = field_map(*fields);
  return holds_all(known.fields, said) || holds_all(said, known.fields);
}

bool Connections::say_all_of(const Connections& other) const {
  bool has_definitions =
      std::all_of(other.definitions_.begin(), other.definitions_.end(),
                  [&](const auto& definition) { return definitions_.contains(definition.first); });
  return has_definitions &&
         std::all_of(other.entries_.begin(), other.entries_.end(), [&](const Entry& entry) {
           auto known = slot(entry.id);
           return known && entries_[*known].topic == entry.topic &&
                  holds_all(entries_[*known].fields, entry.fields);
         });
}

Connections::Added Connections::add(const Record& record) {
  auto id = id_of(record);
  auto fields = Fields::parse(record.data);
  if (!id || !fields) return Added::malformed;

  std::optional<std::string> topic = topic_of(record);
  FieldMap said = field_map(*fields);
  if (!topic && said.contains("type")) return Added::malformed;

  bool is_new = false;
  Entry& known = entry(*id, is_new);
  bool agrees = is_new || holds_all(said, known.fields) || holds_all(known.fields, said);
  if (!is_same_topic(known.topic, topic) || !agrees) return Added::contradiction;
  if (!known.topic) known.topic = topic;
  known.fields.merge(said);
  return is_new ? Added::news : Added::known;
}

void Connections::add_definition(const Record& record) {
  definitions_.insert_or_assign(
      std::string(record.header.text("topic")),
      Definition{std::string(record.header.text("type")),
                 std::string(record.header.text(record.header.find("md5sum") ? "md5sum" : "md5")),
                 std::string(record.header.text("def"))});
}

std::uint32_t Connections::id_of_topic(std::string_view topic) {
  if (auto known = find_topic(topic)) return *known;
  auto id = static_cast<std::uint32_t>(ids_by_topic_.size());
  ids_by_topic_.emplace(topic, id);
  bool is_new = false;
  entry(id, is_new).topic.emplace(topic);
  return id;
}

std::optional<std::uint32_t> Connections::find_topic(std::string_view topic) const {
  auto it = ids_by_topic_.find(topic);
  if (it == ids_by_topic_.end()) return std::nullopt;
  return it->second;
}

bool Connections::are_complete() const {
  return std::all_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.topic && (entry.fields.contains("type") || definitions_.contains(*entry.topic));
  });
}

ChannelsPtr Connections::channels() const {
  auto channels = std::make_shared<Channels>();
  for (const Entry& entry : entries_) {
    auto channel = std::make_shared<Channel>();
    auto schema = std::make_shared<Schema>();
    FieldMap fields = entry.fields;
    channel->slot = static_cast<std::uint32_t>(channels->size());
    channel->topic = entry.topic.value_or("");
    channel->encoding = "ros1";
    schema->language = "ros1msg";
    auto definition = definitions_.find(channel->topic);
    if (definition != definitions_.end()) {
      fields.try_emplace("type", definition->second.type);
      fields.try_emplace("md5sum", definition->second.md5sum);
      fields.try_emplace("message_definition", definition->second.text);
    }
    if (fields.contains(kMessageEncoding)) channel->encoding = take_field(fields, kMessageEncoding);
    bool is_said = fields.contains(kSchemaEncoding);
    if (is_said) schema->language = take_field(fields, kSchemaEncoding);
    is_said &= !schema->language.empty();
    schema->name = take_field(fields, "type");
    schema->text = take_field(fields, "message_definition");
    bool has_schema = is_said || !schema->name.empty() || !schema->text.empty();
    auto own_topic = fields.find("topic");
    if (own_topic != fields.end() && own_topic->second == channel->topic) fields.erase(own_topic);
    channel->metadata = std::move(fields);
    if (has_schema) channel->schema = std::move(schema);
    channels->push_back(std::move(channel));
  }
  return channels;
}

}  // namespace kitbag::rosbag
