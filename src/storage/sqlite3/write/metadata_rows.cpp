#include "storage/sqlite3/write/metadata_rows.h"

#include <algorithm>
#include <string_view>

#include "base/path.h"
#include "storage/sqlite3/write/message_rows.h"

// The row in `metadata` is the content of metadata.yaml as this file alone would have it. It is
// computed from the messages. Only what they cannot tell (custom_data, ros_distro) is taken from
// the record that was embedded in the bag that is copied or continued.

namespace kitbag::sqlite3 {

void MetadataRows::take_old(const Content& content, const Summary& summary) {
  messages_ = summary.messages;
  start_ = summary.start;
  end_ = summary.end;
  if (!content.records.empty()) records_ = content.records.rbegin()->first + 1;
  if (!content.metadata) return;
  taken_over_ = {content.metadata->custom_data, content.metadata->ros_distro};
}

/// A row for each value; a record without any has one row.
std::uint64_t MetadataRows::put(const Metadata& record) {
  if (taken_over_.take(record, path_)) return 0;
  database_->run(
      "CREATE TABLE IF NOT EXISTS kitbag_metadata(record INTEGER NOT NULL,name TEXT NOT NULL,"
      "key TEXT,value TEXT);");
  Statement insert = database_->prepare(
      "INSERT INTO kitbag_metadata (record, name, key, value) VALUES (?, ?, ?, ?);");
  insert.bind(1, records_++).bind(2, std::string_view(record.name));
  if (record.values.empty()) insert.run();
  std::uint64_t bytes = 0;
  for (const auto& [key, value] : record.values) {
    insert.bind(3, std::string_view(key)).bind(4, std::string_view(value)).run();
    bytes += key.size() + value.size() + kRowBytes;
  }
  return bytes;
}

void MetadataRows::count(Time log_time) {
  bool is_first = messages_++ == 0;
  start_ = is_first ? log_time : std::min(start_, log_time);
  end_ = is_first ? log_time : std::max(end_, log_time);
}

rosbag2::BagMetadata MetadataRows::declared(const std::vector<WrittenTopic>& topics) const {
  rosbag2::BagMetadata metadata;
  metadata.storage = "sqlite3";
  metadata.start = messages_ > 0 ? start_ : rosbag2::kNoStart;
  metadata.duration = messages_ > 0 ? end_ - start_ : Duration::zero();
  metadata.messages = messages_;
  for (const WrittenTopic& topic : topics) metadata.topics.push_back(topic.declared);
  if (is_compressed_) {
    metadata.compression_format = "zstd";
    metadata.compression_mode = "MESSAGE";
  }
  metadata.paths = {std::string(file_name(path_))};
  metadata.files = {{metadata.paths[0], metadata.start, metadata.duration, metadata.messages}};
  metadata.custom_data = taken_over_.custom_data;
  metadata.ros_distro = taken_over_.ros_distro;
  return metadata;
}

void MetadataRows::embed(const std::vector<WrittenTopic>& topics) {
  std::string text = rosbag2::print_metadata(declared(topics), metadata_version_, true);
  database_->run(
      "CREATE TABLE IF NOT EXISTS metadata(id INTEGER PRIMARY KEY,"
      "metadata_version INTEGER NOT NULL,metadata TEXT NOT NULL);");
  database_->prepare("INSERT INTO metadata (metadata_version, metadata) VALUES (?, ?);")
      .bind(1, std::int64_t{metadata_version_})
      .bind(2, std::string_view(text))
      .run();
}

void MetadataRows::put_distro(int schema_version) {
  if (schema_version < 3 || taken_over_.ros_distro.empty()) return;
  database_->prepare("UPDATE schema SET ros_distro = ?;")
      .bind(1, std::string_view(taken_over_.ros_distro))
      .run();
}

}  // namespace kitbag::sqlite3
