#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kitbag/bag.h"
#include "storage/rosbag2/embedded.h"
#include "storage/rosbag2/metadata.h"
#include "storage/sqlite3/database.h"
#include "storage/sqlite3/write/settings.h"
#include "storage/sqlite3/write/topic_rows.h"

namespace kitbag::sqlite3 {

/// Writes what a bag says about itself as a whole: rosbag2's metadata, which is embedded when the
/// bag is begun and when it is closed, and metadata records in `kitbag_metadata`.
class MetadataRows {
 public:
  /// `path` of the bag, which the embedded metadata names.
  MetadataRows(Database& database, const Settings& settings, std::string path)
      : database_(&database),
        metadata_version_(settings.metadata_version),
        is_compressed_(settings.is_compressed),
        path_(std::move(path)) {}

  /// Loads what a bag that is appended to says.
  void take_old(const Content& content, const Summary& summary);
  /// Stores a record; what rosbag2 says about a bag is stored in its own place. Returns about how
  /// much the rows take in the file.
  std::uint64_t put(const Metadata& record);
  /// Counts a message that was written.
  void count(Time log_time);
  /// Embeds the metadata as it is now; of several, the last counts.
  void embed(const std::vector<WrittenTopic>& topics);
  /// Stores the release, if the schema has a place for it, before the bag is closed.
  void put_distro(int schema_version);

 private:
  rosbag2::BagMetadata declared(const std::vector<WrittenTopic>& topics) const;

  Database* database_;
  int metadata_version_;
  bool is_compressed_;
  std::string path_;
  std::int64_t records_ = 0;  ///< the number of the next
  rosbag2::TakenOver taken_over_;
  std::uint64_t messages_ = 0;
  Time start_{};
  Time end_{};
};

}  // namespace kitbag::sqlite3
