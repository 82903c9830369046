#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/arrow.h"
#include "kitbag/arrow_ipc.h"
#include "kitbag/export.h"
#include "kitbag/export_messages.h"
#include "kitbag/file_system.h"
#include "kitbag/message.h"
#include "kitbag/session.h"
#include "kitbag/stream.h"

// For those who add an ExportFormat. A format is a function that is given an ExportJob: it reads
// the source and writes files into the folder. Most formats write something for each topic; they
// implement TopicExport, and export_topics() does the rest:
//
//   registry.export_formats.push_back({"lines", "a line for each message", [](ExportJob& job) {
//     return export_topics(job, [&](const std::string& topic, const ChannelsPtr& channels) {
//       return std::make_unique<Lines>(topic, job.folder);
//     });
//   }});
//
// Formats of tables implement TableExport, which gets the rows as Arrow record batches, and call
// export_tables().
//
// A format in a plugin of kitbag's own is in plugins/export_NAME.so, which is loaded when somebody
// asks for the format NAME.

namespace kitbag {

/// The folder that an export writes into. Everything in it gets its name when the whole export is
/// complete. One thread at a time.
class KITBAG_API ExportFolder {
 public:
  /// The folder is created with the first file. `request` says what may be replaced.
  ExportFolder(std::string folder, const ExportRequest& request, const Session& session);
  ~ExportFolder();
  ExportFolder(const ExportFolder&) = delete;
  ExportFolder& operator=(const ExportFolder&) = delete;

  /// Begins the file `name`, which may be in folders of its own: "odom.parquet",
  /// "camera__image/0001.png". WriteFile::commit() has to be called. Throws Error: exists for a
  /// file or a folder that is there already; invalid for a name that was used before; as
  /// FileSystem::create().
  std::unique_ptr<WriteFile> create(const std::string& name);
  /// The same for a library that writes files by itself: returns the path where it has to write the
  /// file. Also throws Error: unsupported in a file system that is not that of this machine.
  std::string place(const std::string& name);
  /// Returns the final path of the file.
  std::string path_of(const std::string& name) const;
  /// Returns export_name(topic) + extension, for a file or a folder of this topic. Throws Error
  /// (invalid) if it is too long, or that of another topic.
  std::string name_of(const std::string& topic, std::string_view extension);
  /// The same for another file of the topic: "odom.2.mp4" for the extension ".mp4". It is the first
  /// one from `number` on, which is raised to it, that is not the name of another topic.
  std::string name_of_another(const std::string& topic, std::uint64_t& number,
                              std::string_view extension);

  /// All files are complete and get their names.
  void publish();
  /// Returns `error` with the final name of a file instead of the hidden one.
  Error with_final_name(const Error& error) const;

 private:
  std::string hidden_place(const std::string& name);

  std::string folder_;
  bool may_replace_;
  OnWarning on_warning_;
  FileSystemPtr file_system_;
  std::unique_ptr<Staging> staging_;
  std::map<std::string, std::string> folders_;         ///< hidden places by first name
  std::map<std::string, std::string> topics_by_name_;  ///< in lower case
};

/// One call of export_messages().
struct ExportJob {
  Source& source;                ///< the messages, in the order of their log times
  ExportFolder& folder;          ///< where the files go
  const ExportRequest& request;  ///< how they are written
  const Session& session;        ///< with which messages are decoded
  const Wait& wait;              ///< passed to whatever takes long
};

/// What a format writes of one topic. One thread at a time.
class TopicExport {
 public:
  virtual ~TopicExport() = default;
  /// Takes the next messages of the topic. Their data is valid during the call. `channels` are all
  /// that are known by now.
  virtual void write(std::span<const Message> messages, const ChannelsPtr& channels) = 0;
  /// Returns about how many bytes are not written yet.
  virtual std::uint64_t held_bytes() const { return 0; }
  /// Writes them. It is called where all topics together hold more than ExportRequest::held_bytes.
  virtual void flush() {}
  /// Completes the files.
  virtual Exported finish() = 0;
};

/// One call of ExportFormat::stream().
struct ExportStream {
  std::string topic;             ///< the topic, which is the only one
  BytesOut out;                  ///< takes the bytes; called by the functions of the TopicExport
  const ExportRequest& request;  ///< how they are written. All of these outlive the TopicExport
  const Session& session;        ///< with which messages are decoded
  const Wait& wait;              ///< passed to whatever takes long
  /// Takes the bytes instead, if it is not null. Nobody waits for them then, and what is in the
  /// file already can be written again. Outlives the TopicExport, too.
  WriteFile* file = nullptr;
};

/// Begins the export of a topic, whose channels are those of `channels` that are not null; null:
/// the topic is left out, which was reported.
using MakeTopicExport = std::function<std::unique_ptr<TopicExport>(const std::string& topic,
                                                                   const ChannelsPtr& channels)>;

/// Reads the source of `job` to its end, and passes the messages of each topic to what `make` gives
/// for it. Returns what was written, by topic. Throws Error as the source and the exports do, and
/// cancelled if a stop is requested.
KITBAG_API std::vector<Exported> export_topics(const ExportJob& job, const MakeTopicExport& make);

/// The messages of a topic that go into one file.
struct ExportPart {
  std::string topic;  ///< its name
  /// With ExportRequest::partition, the name of the file without the extension, such as
  /// "odom/day=2026-11-24/part"; otherwise empty.
  std::string file = {};
  bool is_first = true;  ///< of the topic
};

/// Returns the name of the file for a part, with the extension. Throws as ExportFolder::name_of().
KITBAG_API std::string part_name(const ExportPart& part, std::string_view extension,
                                 ExportFolder& folder);

/// Begins the export of a part; null: the topic is left out, which was reported.
using MakePartExport = std::function<std::unique_ptr<TopicExport>(const ExportPart& part,
                                                                  const ChannelsPtr& channels)>;

/// As export_topics(), for formats with ExportFormat::has_parts. A topic has one part, or as many
/// as ExportRequest::partition says, one after the other. Throws also Error (invalid) if the
/// messages do not say which bag they are of, where that is needed.
KITBAG_API std::vector<Exported> export_parts(const ExportJob& job, const MakePartExport& make);

/// What a format writes of the rows of a part. One thread at a time.
class TableExport {
 public:
  virtual ~TableExport() = default;
  /// Takes the next rows: a struct array of the schema, none of whose rows is null. It stays the
  /// caller's.
  virtual void write(const ArrowArray& rows) = 0;
  /// As TopicExport::held_bytes().
  virtual std::uint64_t held_bytes() const { return 0; }
  /// As TopicExport::flush().
  virtual void flush() {}
  /// Completes the table. `channels` are all that are known by now, those of other topics too. The
  /// topic and the number of messages need not be set.
  virtual Exported finish(const Channels& channels) = 0;
};

/// Begins the table of a part, whose channels are those of `channels` that are not null. `schema`
/// is a struct, whose fields are the columns: `time`, and the fields of messages as columns()
/// describes them. It stays the caller's.
using MakeTableExport = std::function<std::unique_ptr<TableExport>(
    const ExportPart& part, const Channels& channels, const ArrowSchema& schema)>;

/// As export_parts(), for formats that write rows. Throws also as columns() does.
KITBAG_API std::vector<Exported> export_tables(const ExportJob& job, const MakeTableExport& make);

}  // namespace kitbag
