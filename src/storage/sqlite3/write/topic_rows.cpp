#include "storage/sqlite3/write/topic_rows.h"

#include <fmt/format.h>

#include <string_view>

#include "kitbag/error.h"
#include "kitbag/rosbag2.h"
#include "storage/sqlite3/write/create_tables.h"

// A channel becomes a row of `topics`, but such a row has columns for a part of it only. Whether
// something is missing is found by reading the row back in thought: the metadata that a reader
// would make of it is compared with the channel's own. If they differ, all metadata of the channel
// goes into `kitbag_channels`, not only the difference, so that a reader need not combine the two.
//
// `message_definitions` is keyed by the name of a type. If a type has two definitions, the name
// does not lead to the right one any more. From then on channels of that type store the id of their
// definition, under the empty key.

namespace kitbag::sqlite3 {

void TopicRows::take_old(const Content& content, const Summary& summary) {
  has_encodings_ = content.has_encodings;
  ChannelsPtr channels = make_channels(content);
  for (std::size_t i = 0; i < content.topics.size(); ++i) {
    const Content::Topic& topic = content.topics[i];
    const ChannelPtr& channel = (*channels)[i];
    encodings_.add(*channel);
    by_content_.try_emplace(channel, static_cast<std::uint32_t>(i));
    topics_.push_back({topic.id,
                       {topic.name, topic.type, topic.encoding, topic.qos, topic.type_hash,
                        summary.message_counts[i]}});
  }
  for (const Content::Definition& one : content.definitions) {
    definitions_[one.type].try_emplace({one.language, one.text, one.type_hash}, one.id);
  }
}

std::uint32_t TopicRows::add(const ChannelPtr& channel) {
  auto known = by_content_.find(channel);
  if (known != by_content_.end()) return known->second;
  encodings_.add(*channel);
  Content::Topic row;
  row.name = channel->topic;
  row.type = channel->type();
  row.encoding = channel->encoding;
  row.qos = rosbag2::qos_of(*channel, rosbag2::qos_form(metadata_version_));
  if (auto hash = channel->metadata.find("topic_type_hash"); hash != channel->metadata.end()) {
    row.type_hash = hash->second;
  }
  insert(row);
  std::int64_t id = database_->last_id();
  keep_metadata(id, *channel, row);
  auto place = static_cast<std::uint32_t>(topics_.size());
  topics_.push_back({id, {row.name, row.type, row.encoding, row.qos, row.type_hash, 0}});
  by_content_.emplace(channel, place);
  return place;
}

void TopicRows::insert(const Content::Topic& row) {
  if (!has_encodings_) return insert_without_encoding(row);
  bool has_qos = schema_version_ >= 2;
  bool has_hash = schema_version_ >= 4;
  Statement insert = database_->prepare(
      has_hash  ? "INSERT INTO topics(name, type, serialization_format, offered_qos_profiles, "
                  "type_description_hash) VALUES (?, ?, ?, ?, ?);"
      : has_qos ? "INSERT INTO topics(name, type, serialization_format, offered_qos_profiles) "
                  "VALUES (?, ?, ?, ?);"
                : "INSERT INTO topics(name, type, serialization_format) VALUES (?, ?, ?);");
  insert.bind(1, std::string_view(row.name))
      .bind(2, std::string_view(row.type))
      .bind(3, std::string_view(row.encoding));
  if (has_qos) insert.bind(4, std::string_view(row.qos));
  if (has_hash) insert.bind(5, std::string_view(row.type_hash));
  insert.run();
}

/// The very first bags have CDR only, and no column that says so.
void TopicRows::insert_without_encoding(const Content::Topic& row) {
  if (row.encoding != "cdr") {
    throw Error(ErrorCode::invalid,
                fmt::format("the table topics has no column for the encoding of {}, which is {}; "
                            "convert the bag to a new one first",
                            row.name, row.encoding),
                path_);
  }
  database_->prepare("INSERT INTO topics(name, type) VALUES (?, ?);")
      .bind(1, std::string_view(row.name))
      .bind(2, std::string_view(row.type))
      .run();
}

/// Stores in `kitbag_channels` what the row of the topic does not say about the channel.
void TopicRows::keep_metadata(std::int64_t topic, const Channel& channel,
                              const Content::Topic& row) {
  std::map<std::string, std::string> kept;
  Content::Topic read = row;
  if (schema_version_ < 4) read.type_hash.clear();
  if (schema_version_ < 2) read.qos.clear();
  std::map<std::string, std::string> given = channel.metadata;
  // Profiles that only have another form need not be stored.
  auto profiles = given.find("offered_qos_profiles");
  if (profiles != given.end() && !read.qos.empty()) profiles->second = read.qos;
  if (given != metadata_of(read)) kept = given;
  if (channel.schema) {
    std::int64_t definition = definition_of(*channel.schema, row.type_hash);
    bool is_only = definitions_[channel.schema->name].size() == 1;
    if (!is_only) kept = given;
    if (!is_only) kept[""] = std::to_string(definition);
  }
  if (kept.empty()) return;
  database_->run(
      "CREATE TABLE IF NOT EXISTS kitbag_channels(topic_id INTEGER NOT NULL,key TEXT NOT NULL,"
      "value TEXT NOT NULL);");
  Statement insert =
      database_->prepare("INSERT INTO kitbag_channels (topic_id, key, value) VALUES (?, ?, ?);");
  for (const auto& [key, value] : kept) {
    insert.bind(1, topic).bind(2, std::string_view(key)).bind(3, std::string_view(value)).run();
  }
}

/// The id of the definition's row, which is added if it is new.
std::int64_t TopicRows::definition_of(const Schema& schema, const std::string& type_hash) {
  auto [place, is_new] =
      definitions_[schema.name].try_emplace({schema.language, schema.text, type_hash});
  if (!is_new) return place->second;
  create_definitions(*database_);  // a bag of rosbag2 that is appended to may not have them
  database_
      ->prepare(
          "INSERT INTO message_definitions (topic_type, encoding, "
          "encoded_message_definition, type_description_hash) VALUES (?, ?, ?, ?);")
      .bind(1, std::string_view(schema.name))
      .bind(2, std::string_view(schema.language))
      .bind(3, std::string_view(schema.text))
      .bind(4, std::string_view(type_hash))
      .run();
  place->second = database_->last_id();
  return place->second;
}

}  // namespace kitbag::sqlite3
