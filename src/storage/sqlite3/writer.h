#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "compress/compression.h"
#include "io/local/staged_file.h"
#include "io/sticky.h"
#include "kitbag/bag.h"
#include "kitbag/batch_writer.h"
#include "model/extras.h"
#include "storage/rosbag2/metadata.h"
#include "storage/sqlite3/database.h"
#include "storage/sqlite3/stamps.h"
#include "storage/sqlite3/tables.h"
#include "storage/writing/channel_places.h"
#include "storage/writing/topic_encodings.h"
#include "storage/writing/write_pace.h"
#include "stream/channel_table.h"

namespace kitbag::sqlite3 {

/// What WriteOptions mean for a SQLite bag.
struct Settings {
  int schema_version = kNewestSchema;
  int metadata_version = rosbag2::kCommonMetadata;
  bool is_resilient = false;
  bool is_compressed = false;  ///< each message, by zstd
  bool is_visible = false;
};
/// Throws Error (invalid) for what there is not.
Settings make_settings(const WriteOptions& options);

/// Writes a bag by SQLite, as rosbag2 does, so that every version of rosbag2 reads it.
///
/// A row a message, in transactions of some thousand messages, or by time when recording. Each
/// channel has a row in `topics`, also those that differ only in what rosbag2 has no place for;
/// that goes to kitbag's own tables. Metadata is embedded when the bag is begun, and when it is
/// closed, as rosbag2 does; the last one counts.
///
/// Preset "none": no journal on the disk and no waiting for it. "resilient": a write-ahead log, so
/// that what was committed outlives the program and the machine's power.
class BagWriter final : public BatchWriter {
 public:
  /// `file` is empty, or a copy of the bag to append to.
  BagWriter(std::unique_ptr<StagedFile> file, const std::string& path, const WriteOptions& options,
            bool is_appending);
  /// A new bag under its own name: `visible` is the file at `path`, locked.
  BagWriter(Descriptor visible, const std::string& path, const WriteOptions& options);
  ~BagWriter() override;

  void write(Batch&& batch) override;
  SteadyTime due() const override { return pace_.due(); }
  void tick(SteadyTime now) override;
  void flush() override;
  void close() override;
  std::uint64_t size_bytes() const override;

 private:
  struct WrittenTopic {
    std::int64_t id = 0;
    rosbag2::BagMetadata::Topic declared;
  };

  /// A message whose data is the batch's.
  struct Row {
    std::int64_t time_ns;
    std::int64_t topic;
    ByteView data;

    static constexpr std::size_t kParameters = 3;

    /// To the parameters behind the first `before`.
    void bind(Statement& insert, int before) const;
  };

  BagWriter(std::unique_ptr<StagedFile> file, Descriptor visible, const std::string& path,
            const WriteOptions& options, bool is_appending);
  void limit_size();
  void create_tables();
  void take_old(const Content& content, const Summary& summary);
  void prepare();
  std::uint32_t add_topic(const ChannelPtr& channel);
  void keep_metadata(std::int64_t topic, const Channel& channel, const Content::Topic& row);
  std::int64_t definition_of(const Schema& schema, const std::string& type_hash);
  void take(const Extra& extra);
  bool take_rosbag2(const Metadata& record);
  void put_record(const Metadata& record);
  void put(const Message& message);
  void insert_rows();
  void begin_transaction();
  void end_transaction();
  int descriptor() const { return file_ ? file_->descriptor() : visible_.get(); }
  void sync() const;
  void put_stamps();
  void put_metadata();
  rosbag2::BagMetadata declared() const;
  void abandon() noexcept;

  Settings settings_;
  std::string path_;
  OnWarning on_warning_;
  // One of them. Closing any descriptor of the database ends SQLite's own locks on it, so this one
  // stays open as long as SQLite has it open, and no other is opened.
  std::unique_ptr<StagedFile> file_;
  Descriptor visible_;
  std::unique_ptr<Database> database_;
  Statement insert_;
  Statement insert_many_;
  std::vector<Row> rows_;  ///< of the batch being written, not inserted yet
  std::unique_ptr<Compressor> compressor_;
  Buffer packed_;

  TopicEncodings encodings_;
  LeftOutExtras left_out_;
  std::int64_t records_ = 0;  ///< the number of the next
  std::map<std::string, std::string> custom_data_;
  std::string ros_distro_;
  ChannelPlaces places_;  ///< in topics_
  std::vector<WrittenTopic> topics_;
  /// The same, by content.
  std::unordered_map<ChannelPtr, std::uint32_t, ChannelContentHash, ChannelContentEqual>
      by_content_;
  /// Language, text and type hash of a definition, and the id of its row; by type.
  using DefinitionKey = std::tuple<std::string, std::string, std::string>;
  std::map<std::string, std::map<DefinitionKey, std::int64_t>> definitions_;

  bool is_open_ = false;  ///< a transaction is
  std::uint64_t messages_ = 0;
  Time start_{};
  Time end_{};
  StampRun stamps_;
  std::int64_t stamps_first_ = 0;
  std::optional<std::size_t> stamps_row_;  ///< of rows_: the first of the next stamps
  std::uint64_t stamped_ = 0;              ///< messages in stamps_
  std::uint64_t uncommitted_bytes_ = 0;
  std::uint64_t bytes_ = 0;  ///< about what the file has
  bool is_closed_ = false;
  WritePace pace_;
  Sticky sticky_;
};

}  // namespace kitbag::sqlite3
