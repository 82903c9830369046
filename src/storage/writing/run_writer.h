#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "io/sticky.h"
#include "kitbag/bag.h"
#include "kitbag/batch_writer.h"
#include "kitbag/file_system.h"
#include "model/extras.h"
#include "storage/writing/channel_places.h"
#include "storage/writing/stored_times.h"
#include "storage/writing/write_pace.h"

namespace kitbag {

/// What of channels a format cannot hold, and of how many channels.
class LeftOut {
 public:
  /// `what` is in the plural, or a key of Channel::metadata.
  void add(std::string_view what) { ++channels_[std::string(what)]; }
  /// Reports all of it in one warning, if there is any. `target`: "rosbag 1.1".
  void tell(std::string_view target, const std::string& path, const OnWarning& on_warning) const;

 private:
  std::map<std::string, std::uint64_t> channels_;
};

/// The base of writers of a plain run of records: everything is appended to the file as it comes.
/// It gives each channel a place, keeps to the clock and to the first error, and reports what is
/// left out.
class RunWriter : public BatchWriter {
 public:
  /// `target` is the format in messages to people: "rosbag 1.1". A message of more than
  /// `max_message_bytes` is an error, one whose time is not among `times` is refused.
  RunWriter(std::unique_ptr<WriteFile> file, std::string path, std::string target,
            std::uint64_t max_message_bytes, const StoredTimes& times, const WriteOptions& options);

  void write(Batch&& batch) final;
  SteadyTime due() const final { return pace_.due(); }
  void tick(SteadyTime now) final;
  void flush() final;
  void close() final;
  std::uint64_t size_bytes() const final { return file_->size(); }

 protected:
  /// A new channel, before its messages. The first has the place 0, the next the place 1. Throws
  /// Error if the format cannot hold it.
  virtual void declare(const Channel& channel) = 0;
  /// A message of the channel at `place`.
  virtual void put(std::uint32_t place, const Message& message) = 0;
  /// Writes what follows the messages. What it adds to left_out() is reported, too.
  virtual void finish() = 0;

  WriteFile& file() { return *file_; }
  const std::string& path() const { return path_; }
  /// For what the format cannot hold of a channel: its definition, keys of its metadata.
  /// Attachments and the numbers of messages are counted by the base.
  LeftOut& left_out() { return left_out_; }

 private:
  std::unique_ptr<WriteFile> file_;
  std::string path_;
  std::string target_;
  std::uint64_t max_message_bytes_;
  StoredTimes times_;
  OnWarning on_warning_;
  ChannelPlaces places_;
  std::uint32_t channels_ = 0;
  LeftOut left_out_;
  LeftOutExtras left_out_extras_;
  WritePace pace_;
  Sticky sticky_;
};

}  // namespace kitbag
