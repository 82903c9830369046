#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/codec.h"
#include "kitbag/excerpt.h"
#include "kitbag/feed.h"
#include "kitbag/file.h"
#include "kitbag/file_system.h"
#include "kitbag/remote_options.h"
#include "kitbag/transport.h"

// The registry is a table of everything that can be plugged in: formats (ways to store bags),
// codecs, languages (both in codec.h), transports (ways to talk to live systems) and file systems
// (file_system.h). Each entry is a struct with a name and functions, or a class for a file system;
// a part is added by pushing it into the table:
//
//   Registry registry = standard_registry();
//   registry.formats.push_back(my_format());
//   Session session(std::move(registry));
//
// A plugin does the same from a shared object (plugin.h). A call through the registry is one
// indirect call per bag or channel, never per message. The functions may carry state and may be
// called from several threads. docs/extending.md explains how to add a part.

namespace kitbag {

class Session;

/// A file or directory that a Format examines and opens.
struct Input {
  std::string path;                      ///< for error messages, and to open directories
  std::vector<std::byte> head;           ///< the first bytes of the file, at most kHeadBytes
  std::shared_ptr<const ReadFile> file;  ///< null: a directory
  FileSystemPtr files = {};              ///< where `path` is; null: in none, as in memory

  static constexpr std::size_t kHeadBytes = 4096;  ///< most of `head`
};

/// A version of a format that kitbag can write. What it cannot hold is left out and reported to
/// WriteOptions::on_warning.
struct FormatVersion {
  std::string_view name;                       ///< as in WriteOptions::format_version
  std::vector<std::string_view> compressions;  ///< as in Format::compressions
  bool holds_metadata = true;                  ///< all of Channel::metadata
  bool holds_definitions = true;               ///< Schema::text, and channels without messages
  bool is_indexed = true;                      ///< bags of this version have an index
  /// True: the channel and the time of each message are stored twice or protected by a checksum, so
  /// that readers detect damage to them.
  bool is_redundant = true;
};

/// A bag format: one folder under storage/ and one line in the registry, or a plugin.
struct Format {
  std::string_view name;         ///< "rosbag"
  std::string_view extension;    ///< ".bag"
  std::string_view description;  ///< one line for people

  /// Returns how certain it is that `input` has this format: 0 no, 100 certain. The format with the
  /// highest value opens it.
  std::function<int(const Input& input)> matches;
  /// Opens a bag. Throws Error if `input` cannot be read at all. Damage is reported to
  /// `options.on_problem`.
  std::function<BagPtr(const Input& input, const ReadOptions& options, const Session& session)>
      open;
  /// Verifies everything that open() and reading do not check. Findings are reported to
  /// `options.on_problem`, in file order. Null: nothing more can be verified.
  std::function<void(const Input& input, const ReadOptions& options, const Session& session)>
      check = nullptr;
  /// Creates a bag, which appears at `path` when it is closed. Null: the format is read-only.
  std::function<std::unique_ptr<Writer>(const std::string& path, const WriteOptions& options,
                                        const Session& session)>
      create = nullptr;
  /// Opens the bag at `path` for appending. It stays intact until close(). Null: the format does
  /// not support this.
  std::function<std::unique_ptr<Writer>(const std::string& path, const WriteOptions& options,
                                        const Session& session)>
      append = nullptr;
  /// Puts together a file of this format from ranges of the file of a bag, as excerpt() describes;
  /// only `select`, `begin` and `end` of the query are set. Null: the format cannot do this.
  std::function<std::optional<Excerpt>(const Input& input, const Query& query,
                                       const ReadOptions& options, const Session& session)>
      excerpt = nullptr;
  /// Names that WriteOptions::compression accepts for the newest version, "none" first.
  std::vector<std::string_view> compressions = {};
  /// The versions that create() writes, newest first. Empty: only one.
  std::vector<FormatVersion> versions = {};
  /// Names that WriteOptions::preset accepts.
  std::vector<std::string_view> presets = {};
  /// Other names of the format.
  std::vector<std::string_view> aliases = {};
  /// True: the newest version supports WriteOptions::gpg_key.
  bool can_encrypt = false;
  /// True: open() accepts forward-only files (ReadFile::is_forward_only()), and create() can write
  /// to "-", standard output.
  bool can_stream = false;
  /// True: the format contains bags of other formats. ReadOptions::format and
  /// WriteOptions::member_format apply to those. A target whose name ends with `extension` has this
  /// format.
  bool is_container = false;
  /// For a container: returns the paths of the bags in it. Null: it is a single file.
  std::function<std::vector<std::string>(const Input& input, const Session& session)> parts =
      nullptr;
  /// For a container whose parts are sound: corrects, in place, what its metadata says about them.
  /// Returns false if it was correct.
  std::function<bool(const Input& input, const ReadOptions& options, const Session& session)>
      rebuild_index = nullptr;
  /// For the container at `path`: removes `part`, one of its parts, from the metadata, so that the
  /// file can be deleted. A Writer may be writing another part meanwhile. Throws Error. Null: parts
  /// cannot be removed.
  std::function<void(const std::string& path, const std::string& part, const Session& session)>
      remove_part = nullptr;
  /// True: messages are compressed one by one, not in chunks.
  bool compresses_messages = false;
  /// True: create() and append() write by themselves to a file of the operating system. In other
  /// file systems bags of this format are created in a temporary folder and copied when they are
  /// closed, and cannot be appended to.
  bool needs_local_file = false;
  /// What its files are in HTTP.
  std::string_view media_type = "application/octet-stream";
  /// The encoding of messages that are made for a bag of this format, if nothing else is asked for.
  std::string_view usual_encoding = "cdr";
};

/// The parts of a URI such as "demo://?seconds=5&seed=7", with %XX decoded.
struct Location {
  std::string uri;                                ///< the whole URI, for error messages
  std::string scheme;                             ///< "demo"
  std::string path;                               ///< the text between "://" and "?"
  std::map<std::string, std::string> parameters;  ///< decoded, by name
};

/// A way to talk to a kind of live system: one folder under transport/ and one line in the
/// registry, or a plugin. Each function throws Error (invalid) for parameters that the transport
/// does not have.
struct Transport {
  std::string_view scheme;  ///< scheme of its URIs: "demo"
  /// For a system that need not run in real time: returns its messages as a bag, which can be read
  /// as fast as it is made. Null: the system runs in real time.
  std::function<BagPtr(const Location& location, const Session& session)> open = nullptr;
  /// Starts to listen and pushes messages into `feed`, which must outlive the Subscriber. Null: the
  /// system only receives messages, or `open` gives all of them.
  std::function<std::unique_ptr<Subscriber>(const Location& location, const Subscription& wanted,
                                            Feed& feed, const Session& session)>
      subscribe = nullptr;
  /// Connects to send messages. Null: the system only sends messages.
  std::function<std::unique_ptr<Publisher>(const Location& location, const Publication& how,
                                           const Session& session)>
      publish = nullptr;
  /// Returns true if senders can be made to wait until messages are recorded, so that nothing is
  /// lost. Null: never.
  std::function<bool(const Location& location)> holds_back = nullptr;
  /// The payload encodings that it can send; empty: any. Other payloads are converted to the first
  /// one.
  std::vector<std::string_view> encodings = {};
};

class VideoDecoder;
class VideoEncoder;
struct VideoEncoding;
struct VideoLimits;

/// A decoder and an encoder for video in one format; kitbag/video.h says what it does. kitbag's own
/// are in a plugin.
struct VideoCodec {
  std::string_view format;  ///< as in foxglove.CompressedVideo: "h264", "h265", "vp9", "av1"
  /// Returns a decoder that waits for a key frame.
  std::function<std::unique_ptr<VideoDecoder>(const VideoLimits& limits)> create = nullptr;
  /// Returns an encoder whose first frame is a key frame. Null: the format can only be decoded.
  std::function<std::unique_ptr<VideoEncoder>(const VideoEncoding& encoding)> encode = nullptr;
};

struct ExportJob;
struct ExportStream;
struct Exported;
class TopicExport;

/// A way to write messages as files that are no bags, such as tables; kitbag/exporter.h says how
/// one is added. kitbag's own are in the library (export_formats() in kitbag/export_messages.h),
/// or, if they bring much with them, in plugins.
struct ExportFormat {
  std::string_view name;         ///< "parquet"
  std::string_view description;  ///< one line for people
  /// Reads the source of the job to its end. Returns what was written, by topic.
  std::function<std::vector<Exported>(ExportJob& job)> write = nullptr;
  bool has_parts = false;  ///< it heeds ExportRequest::partition
  /// Begins to write the messages of one topic as bytes that can be sent at once. Null: the format
  /// takes files.
  std::function<std::unique_ptr<TopicExport>(const ExportStream& stream)> stream = nullptr;
};

class Database;
struct ConnectOptions;

/// A kind of database; kitbag/database.h says what it does. SQLite is part of the library.
struct DatabaseEngine {
  std::vector<std::string_view> schemes;  ///< of its addresses: "postgresql", "postgres"
  /// Throws Error: not_found if nothing is at `address`, and as Database::run() does.
  std::function<std::unique_ptr<Database>(const std::string& address,
                                          const ConnectOptions& options)>
      connect = nullptr;
};

/// Everything that can be plugged in. standard_registry() builds one.
struct Registry {
  std::vector<Format> formats = {};               ///< how bags are stored
  std::vector<Codec> codecs = {};                 ///< how payloads are encoded
  std::vector<Language> languages = {};           ///< how types are defined
  std::vector<Transport> transports = {};         ///< live systems
  std::vector<VideoCodec> video_codecs = {};      ///< see VideoCodec
  std::vector<ExportFormat> export_formats = {};  ///< those that are not part of the library
  std::vector<DatabaseEngine> databases = {};     ///< likewise
  /// The local file system is always there, also if it is not in this list.
  std::vector<FileSystemPtr> file_systems = {};
  /// Settings of the remote file systems. Adding one passes them on to it.
  RemoteOptions remote = {};
};

/// Returns the format with that name or alias, or null.
KITBAG_API const Format* find_format(const Registry& registry, std::string_view name);
/// Returns the codec for that encoding, or null.
KITBAG_API const Codec* find_codec(const Registry& registry, std::string_view encoding);
/// Returns the language with that name or alias, or null.
KITBAG_API const Language* find_language(const Registry& registry, std::string_view name);
/// Returns the transport with that scheme, or null. Session::find_transport() also loads plugins.
KITBAG_API const Transport* find_transport(const Registry& registry, std::string_view scheme);
/// Returns the video codec for that format, or null. Session::find_video_codec() loads plugins.
KITBAG_API const VideoCodec* find_video_codec(const Registry& registry, std::string_view format);
/// Returns the format whose bags have the extension of `path`, also while they are written
/// ("run.mcap.active"); null if there is none.
KITBAG_API const Format* format_of_name(const Registry& registry, std::string_view path);
/// Returns the format that is most certain about `input`, whose `head` must be set; null if none
/// is.
KITBAG_API const Format* match_format(const Registry& registry, const Input& input);
/// Calls Format::check. For formats without it, opens the bag and reads all messages.
KITBAG_API void check_by(const Format& format, const Input& input, const ReadOptions& options,
                         const Session& session);
/// Throws Error: invalid for a version, compression or preset that `format` does not have,
/// unsupported for a key if it cannot encrypt.
KITBAG_API void check_options(const Format& format, const WriteOptions& options);

}  // namespace kitbag
