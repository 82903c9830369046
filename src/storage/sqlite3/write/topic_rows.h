#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "kitbag/bag.h"
#include "storage/rosbag2/metadata.h"
#include "storage/sqlite3/database.h"
#include "storage/sqlite3/tables.h"
#include "storage/sqlite3/write/settings.h"
#include "storage/writing/topic_encodings.h"
#include "stream/channel_table.h"

namespace kitbag::sqlite3 {

/// A topic that has a row, and its metadata.
struct WrittenTopic {
  std::int64_t id = 0;
  rosbag2::BagMetadata::Topic declared;
};

/// Writes the channels of a bag: their rows in `topics`, their definitions, and in
/// `kitbag_channels` what these cannot express. Channels of equal content are one topic.
class TopicRows {
 public:
  /// `path` of the bag, for errors.
  TopicRows(Database& database, const Settings& settings, const std::string& path)
      : database_(&database),
        schema_version_(settings.schema_version),
        metadata_version_(settings.metadata_version),
        path_(path),
        encodings_(path) {}

  /// The topics of a bag that is appended to. Throws Error (invalid) as add().
  void take_old(const Content& content, const Summary& summary);
  /// The place of the channel's topic, which is added if it is new. Throws Error (invalid) if the
  /// topic has another encoding already.
  std::uint32_t add(const ChannelPtr& channel);

  WrittenTopic& operator[](std::uint32_t place) { return topics_[place]; }
  const std::vector<WrittenTopic>& all() const { return topics_; }

 private:
  void insert(const Content::Topic& row);
  void insert_without_encoding(const Content::Topic& row);
  void keep_metadata(std::int64_t topic, const Channel& channel, const Content::Topic& row);
  std::int64_t definition_of(const Schema& schema, const std::string& type_hash);

  Database* database_;
  int schema_version_;
  int metadata_version_;
  bool has_encodings_ = true;  ///< the table has a column for them
  std::string path_;
  TopicEncodings encodings_;
  std::vector<WrittenTopic> topics_;
  /// Places in topics_.
  std::unordered_map<ChannelPtr, std::uint32_t, ChannelContentHash, ChannelContentEqual>
      by_content_;
  /// Language, text and type hash of a definition, and the id of its row; by type.
  using DefinitionKey = std::tuple<std::string, std::string, std::string>;
  std::map<std::string, std::map<DefinitionKey, std::int64_t>> definitions_;
};

}  // namespace kitbag::sqlite3
