#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kitbag/message.h"
#include "storage/rosbag2/metadata.h"
#include "storage/sqlite3/message_row.h"
#include "storage/sqlite3/pages/table.h"

/// The tables of rosbag2's SQLite bags, schema versions 1 to 4, and kitbag's own, which rosbag2
/// does not look at. docs/formats/sqlite3.md describes them.
namespace kitbag::sqlite3 {

inline constexpr int kNewestSchema = 4;

enum class Table { none, messages, topics, definitions, metadata, stamps, channels, records };

/// Which table has such rows.
Table table_of(const std::vector<Column>& columns, ByteView local);

/// Everything in a bag but its messages.
struct Content {
  struct Topic {
    std::int64_t id = 0;
    std::string name;
    std::string type;
    std::string encoding;
    std::string qos;
    std::string type_hash;
  };
  struct Definition {
    std::int64_t id = 0;
    std::string type;
    std::string language;
    std::string text;
    std::string type_hash;
  };

  int schema_version = 1;
  bool has_encodings = true;  ///< false: `topics` has no column for them
  std::string ros_distro;
  std::vector<Topic> topics;
  std::vector<Definition> definitions;
  std::optional<rosbag2::BagMetadata> metadata;  ///< the last that is embedded
  std::string metadata_text;
  /// What kitbag keeps of channels, by topic id: their metadata, and the definition's id.
  std::map<std::int64_t, std::map<std::string, std::string>> channel_metadata;
  std::map<std::int64_t, std::int64_t> channel_definitions;
  std::map<std::int64_t, Metadata> records;   ///< metadata records, by number
  std::shared_ptr<const TableTree> messages;  ///< null: there is none
  MessageColumns message_columns;
  /// Of the last message when the bag was opened; its writer may add others. INT64_MAX: not known.
  std::int64_t last_message = INT64_MAX;
  std::uint64_t messages_found = 0;  ///< and missing, where they were salvaged
  std::uint64_t messages_missing = 0;
  std::shared_ptr<const TableTree> stamps;  ///< null: there is none
  std::uint32_t time_index = 0;             ///< page of its root; 0: there is none
};

/// Whether the schema has one of a bag's tables, or cannot be read.
bool may_be_bag(const std::shared_ptr<const PageFile>& file);

/// Reads them. Damage goes to `on_problem`, and what can be found by other ways is taken.
Content read_content(const std::shared_ptr<const PageFile>& file, const OnProblem& on_problem);

/// The channels that the topics are, in order of their ids; `slots` gets the slot by topic id.
ChannelsPtr make_channels(const Content& content);

/// What the row of a topic alone says of its channel.
std::map<std::string, std::string> metadata_of(const Content::Topic& topic);

}  // namespace kitbag::sqlite3
