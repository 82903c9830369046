#pragma once

#include <memory>
#include <optional>
#include <string>

#include "io/local/staged_file.h"
#include "io/sticky.h"
#include "kitbag/bag.h"
#include "kitbag/batch_writer.h"
#include "model/extras.h"
#include "storage/sqlite3/database.h"
#include "storage/sqlite3/write/message_rows.h"
#include "storage/sqlite3/write/metadata_rows.h"
#include "storage/sqlite3/write/settings.h"
#include "storage/sqlite3/write/topic_rows.h"
#include "storage/writing/channel_places.h"
#include "storage/writing/write_pace.h"

namespace kitbag::sqlite3 {

/// Writes a bag by SQLite, as rosbag2 does, so that every version of rosbag2 reads it.
///
/// One row per message, in transactions of some thousand messages, or by time when recording. Each
/// channel has a row in `topics`, also channels that differ only in what rosbag2 has no place for,
/// which goes to kitbag's own tables. Metadata is embedded when the bag is begun, and when it is
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
  /// The content of a bag that is appended to.
  struct OldBag {
    Content content;
    Summary summary;
  };

  BagWriter(std::unique_ptr<StagedFile> file, Descriptor visible, const std::string& path,
            const WriteOptions& options, bool is_appending);
  OldBag read_old() const;
  void open_database();
  void begin_bag();
  void continue_bag(const OldBag& old);
  void take(const Extra& extra);
  void put(const Message& message);
  bool has_transaction() const { return database_ && database_->has_transaction(); }
  void begin_transaction();
  void end_transaction();
  int descriptor() const { return file_ ? file_->descriptor() : visible_.get(); }
  /// What SQLite has open.
  const std::string& database_name() const { return file_ ? file_->name() : path_; }
  void sync() const;
  void abandon() noexcept;

  Settings settings_;
  std::string path_;
  OnWarning on_warning_;
  // One of them. Closing any descriptor of the database ends SQLite's own locks on it, so this one
  // stays open as long as SQLite has it open, and no other is opened.
  std::unique_ptr<StagedFile> file_;
  Descriptor visible_;
  std::unique_ptr<Database> database_;
  std::optional<TopicRows> topics_;
  std::optional<MessageRows> messages_;
  std::optional<MetadataRows> metadata_;

  LeftOutExtras left_out_;
  ChannelPlaces places_;  ///< in topics_
  std::uint64_t uncommitted_bytes_ = 0;
  std::uint64_t bytes_ = 0;  ///< about what the file has, without stamps
  bool is_closed_ = false;
  WritePace pace_;
  Sticky sticky_;
};

}  // namespace kitbag::sqlite3
