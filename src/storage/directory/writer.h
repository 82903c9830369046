#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/sticky.h"
#include "kitbag/bag.h"
#include "kitbag/file_system.h"
#include "kitbag/leave.h"
#include "kitbag/session.h"
#include "kitbag/system_error.h"
#include "storage/directory/written_metadata.h"
#include "storage/rosbag2/embedded.h"
#include "storage/rosbag2/metadata.h"
#include "storage/writing/channel_places.h"

namespace kitbag::directory {

/// Writes one file of a directory, and metadata.yaml. A directory of several files is created with
/// the first file, and appended to for each further one; so it is a bag whenever the program dies,
/// and files that a split has closed stay.
class DirectoryWriter final : public Writer {
 public:
  /// The first file of a new directory at `path`, where nothing may be but an empty folder.
  static std::unique_ptr<DirectoryWriter> create(const std::string& path,
                                                 const WriteOptions& options,
                                                 const Session& session);
  /// One more file in the directory at `path`.
  static std::unique_ptr<DirectoryWriter> append(const std::string& path,
                                                 const WriteOptions& options,
                                                 const Session& session);
  /// One more file in the directory at `path`, to which others write at the same time: the file
  /// `number`, or a later one, of the writer of this name. The directory is created unless it
  /// exists. A file without messages disappears without close().
  static std::unique_ptr<DirectoryWriter> joined(const std::string& path, const std::string& writer,
                                                 std::uint64_t number, const WriteOptions& options,
                                                 const Session& session);
  ~DirectoryWriter() override;

  /// Where the file is when it is complete.
  std::string path() const;
  /// Its number, at the end of its name.
  std::uint64_t number() const { return number_; }
  /// The name of its format.
  const std::string& storage() const { return others_.storage; }

  void write(Batch&& batch) override;
  void append(const ChannelPtr& channel, const Stamp& stamp,
              std::span<const ByteView> pieces) override;
  std::span<std::byte> reserve(const ChannelPtr& channel, const Stamp& stamp,
                               std::size_t size) override;
  void commit(std::size_t size) override;
  SteadyTime due() const override { return member_->due(); }
  void tick(SteadyTime now) override;
  void flush() override;
  void close() override;
  std::uint64_t size_bytes() const override { return member_->size_bytes(); }

 private:
  enum class Kind : std::uint8_t { first, appended, joined };
  /// What metadata.yaml says of all files together.
  struct KindOfFiles {
    std::string storage;
    std::string compression_mode;
    std::string compression_format;

    explicit KindOfFiles(const rosbag2::BagMetadata& metadata)
        : storage(metadata.storage),
          compression_mode(metadata.compression_mode),
          compression_format(metadata.compression_format) {}
    bool operator==(const KindOfFiles&) const = default;
  };

  DirectoryWriter(std::string target, rosbag2::BagMetadata metadata, const WriteOptions& options,
                  const Session& session, Kind kind);
  void begin_joined(const std::string& writer, std::uint64_t number, const WriteOptions& options);

  /// Errors are sticky, and name the file as it will be called.
  template <class Call>
  void run(Call&& call) {
    sticky_.run([&] {
      try {
        call();
      } catch (const Refusal& refusal) {
        throw Refusal(with_final_name(refusal));
      } catch (const Error& error) {
        throw_as(with_final_name(error), error);
      }
    });
  }
  Error with_final_name(const Error& error) const;
  /// A channel of this file. Readers of the directory get only the repeats of the first file, so
  /// repeats are counted separately.
  struct Topic {
    rosbag2::BagMetadata::Topic declared;
    bool is_repeat;
  };

  std::uint32_t add_topic(const Channel& channel);
  void take_metadata(std::vector<Extra>& extras);
  void count(std::uint32_t topic, Time log_time);
  void count_one(const ChannelPtr& channel, Time log_time);
  rosbag2::BagMetadata others() const;
  /// metadata.yaml as it would be if the file were closed now.
  void put_metadata();
  void add_own(rosbag2::BagMetadata& all) const;
  void put_joined_metadata();
  std::optional<rosbag2::BagMetadata> joined_metadata(
      std::optional<rosbag2::BagMetadata> current) const;
  bool is_first(const rosbag2::BagMetadata& all) const;
  void require_same_kind(const rosbag2::BagMetadata& all) const;
  void warn_of_other_types(const rosbag2::BagMetadata& all) const;
  void give_up() noexcept;

  Session session_;
  FileSystemPtr files_;
  OnWarning on_warning_;
  Kind kind_;
  std::string target_;
  std::string folder_;               ///< the target, or the folder that becomes it
  std::unique_ptr<Staging> staged_;  ///< null: folder_ is the target
  bool is_visible_;
  bool packs_file_;
  int metadata_version_;
  std::shared_ptr<WrittenMetadata> written_ = WrittenMetadata::shared();
  rosbag2::BagMetadata others_;     ///< entries of the other files, when this one was begun
  std::string name_;                ///< of this file
  std::uint64_t number_ = 0;        ///< at its end
  std::unique_ptr<FileLock> lock_;  ///< of a joined directory; the others have it too
  bool is_own_ = false;             ///< it was created here, in a joined directory
  bool is_listed_ = false;          ///< metadata.yaml names it
  bool is_packed_ = false;          ///< it is compressed
  std::unique_ptr<Writer> member_;
  ChannelPlaces places_;  ///< in topics_
  std::vector<Topic> topics_;
  rosbag2::TakenOver taken_over_;
  std::pair<ChannelPtr, Time> reserved_;
  std::vector<std::pair<std::uint32_t, Time>> written_messages_;  ///< of a batch: slot, log time
  std::uint64_t messages_ = 0;
  Time start_{};
  Time end_{};
  bool is_closed_ = false;
  Sticky sticky_;
};

}  // namespace kitbag::directory
