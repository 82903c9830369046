#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/sticky.h"
#include "kitbag/bag.h"
#include "kitbag/batch_writer.h"
#include "kitbag/file_system.h"
#include "model/extras.h"
#include "storage/writing/channel_places.h"
#include "storage/writing/write_pace.h"

namespace kitbag {
class Session;
}

namespace kitbag::rosbag {

/// What a bag being written cannot hold, by channel.
class LeftOut {
 public:
  void add(std::string_view what) { ++channels_[std::string(what)]; }
  /// One problem that names them all, if there are any.
  void tell(std::string_view version, const std::string& path, const OnWarning& on_warning) const;

 private:
  std::map<std::string, std::uint64_t> channels_;
};

/// What the writers of the versions that are a run of records share: everything is appended as it
/// comes, and nothing is compressed.
class RunWriter : public BatchWriter {
 public:
  /// `version` must outlive it.
  RunWriter(std::unique_ptr<WriteFile> file, std::string path, std::string_view version,
            const WriteOptions& options);

  void write(Batch&& batch) final;
  SteadyTime due() const final { return pace_.due(); }
  void tick(SteadyTime now) final;
  void flush() final;
  void close() final;
  std::uint64_t size_bytes() const final { return file_->size(); }

 protected:
  /// A channel, before its messages; the first is at place 0. Throws Error for one that cannot be
  /// held.
  virtual void declare(const Channel& channel) = 0;
  /// A message of the channel at `place`. Its data are within what a message may have.
  virtual void put(std::uint32_t place, const Message& message) = 0;
  /// Writes what stands behind the messages.
  virtual void finish() = 0;

  WriteFile& file() { return *file_; }
  const std::string& path() const { return path_; }
  LeftOut& left_out() { return left_out_; }

 private:
  std::uint32_t add_channel(const Channel& channel);

  std::unique_ptr<WriteFile> file_;
  std::string path_;
  std::string_view version_;
  OnWarning on_warning_;
  ChannelPlaces places_;
  std::uint32_t channels_ = 0;
  LeftOut left_out_;
  LeftOutExtras left_out_extras_;
  WritePace pace_;
  Sticky sticky_;
};

/// Writes `#ROSRECORD V1.1`: each message with its topic, md5sum and type in front, and nothing
/// else.
std::unique_ptr<Writer> create_1_1(const std::string& path, const WriteOptions& options,
                                   const Session& session);

/// Writes `#ROSRECORD V1.2` as its last recorders did: a file header, a definition in front of the
/// first message of each topic, the index at the end.
std::unique_ptr<Writer> create_1_2(const std::string& path, const WriteOptions& options,
                                   const Session& session);

}  // namespace kitbag::rosbag
