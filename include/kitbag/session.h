#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/error.h"
#include "kitbag/live.h"
#include "kitbag/registry.h"
#include "kitbag/time.h"

// A Session is the entry point of the library. It holds the registry with all formats, codecs,
// languages and transports, the loaded plugins, the clock, the cache of decompressed chunks, and
// the message definitions that were found in folders. Most programs create one and keep it:
//
//   kitbag::Session session;
//   auto bag = session.open("drive.bag");
//   auto writer = session.create("drive.mcap");
//
// A Session is a handle that is copied like a pointer. Every object that is created from it holds a
// copy, so no session has to be kept alive for other objects. Creating one loads the plugins in
// KITBAG_PLUGIN_PATH; a copy costs two reference counts. Tests pass a clock of their own, to run
// hours in seconds.

namespace kitbag {

/// Settings of a Session.
struct SessionOptions {
  /// Null: the system's clock.
  ClockPtr clock = nullptr;
  /// Paths of plugins to load, in addition to those in the folders of KITBAG_PLUGIN_PATH.
  std::vector<std::string> plugins = {};
  /// Called for each plugin in KITBAG_PLUGIN_PATH that cannot be loaded; the session works without
  /// it.
  OnWarning on_warning = {};
  /// Memory in bytes for chunks that were compressed: those that are read ahead, and those that are
  /// kept for other readers of the same bag. The size counts after decompression.
  std::size_t cache_bytes = std::size_t{128} << 20;
  /// How files on web servers and in object stores are read.
  RemoteOptions remote = {};
};

/// How much Session::check() looks at.
struct CheckOptions {
  /// The first messages of each channel, in the order of the file, that are decoded by their
  /// definition. 0: none; UINT64_MAX: all.
  std::uint64_t decoded_messages = 10;
};

class ChunkCache;
class DefinitionCache;

/// The registry, the plugins, the clock and the caches that other objects work with. A handle
/// that is cheap to copy: all copies are the same session, and every object that comes from a
/// session keeps it alive. Can be used from any thread.
class KITBAG_API Session {
 public:
  /// Creates a session with the built-in parts, the plugins in the folders of KITBAG_PLUGIN_PATH,
  /// and kitbag's own plugins. Each of those is loaded on first use: a transport when its scheme is
  /// used, the video codecs when a video is decoded.
  Session();
  /// Throws Error if one of `options.plugins` cannot be loaded (see load_plugin()).
  explicit Session(SessionOptions options);
  /// Creates a session with these parts only. Loads no plugins.
  explicit Session(Registry registry, ClockPtr clock = nullptr);

  /// Opens the bag at `uri`: a path, a `file://` URI, or a URI of a transport that need not run in
  /// real time, such as "demo://". The parameter `encoding` of such a URI converts the payloads to
  /// that encoding. An empty file whose name tells the format is reported as damage (truncated) and
  /// opens as a bag without messages. Throws Error.
  BagPtr open(const std::string& uri, const ReadOptions& options = {}) const;
  /// Opens a bag that is not in a file of its own. `input.path` names it in error messages.
  BagPtr open(const Input& input, const ReadOptions& options = {}) const;

  /// Creates a bag at `uri`. The format is `options.format`; if that is empty, the extension
  /// selects it. A `uri` that ends with "/" is a rosbag2 directory. Throws Error (exists: see
  /// WriteOptions::may_replace).
  std::unique_ptr<Writer> create(const std::string& uri, const WriteOptions& options = {}) const;
  /// Appends to the existing bag at `uri`. Until close(), readers see the bag as it was. Throws
  /// Error.
  std::unique_ptr<Writer> append(const std::string& uri, const WriteOptions& options = {}) const;

  /// Verifies the bag at `uri`: its structure, its index against the content, the time order, its
  /// definitions, and whether payloads fit them. Findings are passed to `options.on_problem`, with
  /// their offset; severity_of() tells how grave each is. A remark (ErrorCode::remark), such as
  /// messages that come after later ones, is no damage. Throws Error only if there is nothing to
  /// check or it cannot be read (io, locked), or for the first finding if there is no `on_problem`.
  void check(const std::string& uri, const ReadOptions& options) const;
  /// The same, with settings.
  void check(const std::string& uri, const ReadOptions& options, const CheckOptions& how) const;
  /// The same, of a bag that is not in a file of its own.
  void check(const Input& input, const ReadOptions& options) const;
  /// The same, with settings.
  void check(const Input& input, const ReadOptions& options, const CheckOptions& how) const;

  /// Listens to the live system at `uri`, on the channels that `wanted` selects. If a transport can
  /// produce its messages at once, as "demo://" does, they are delivered in real time. Throws
  /// Error: invalid if `uri` is not a URI of a transport, and whatever the transport throws.
  std::unique_ptr<LiveSource> listen(const std::string& uri, const Subscription& wanted = {},
                                     const FeedOptions& options = {}) const;
  /// Connects to the live system at `uri` to send messages to it. Throws as listen() does, and
  /// Error (invalid) if messages cannot be sent to this system.
  std::unique_ptr<Publisher> publish(const std::string& uri, const Publication& how = {}) const;

  /// Returns the file system of a path or URI: that of its scheme, or the local one. Throws Error
  /// (unsupported) for a scheme that no file system has.
  FileSystemPtr file_system(const std::string& path) const;
  /// Returns the path by which its file system knows `uri`: that of a `file://` URI with %XX
  /// decoded, and anything else unchanged. Throws Error: unsupported for a scheme that no file
  /// system has, invalid for a file on another machine.
  std::string path_of(const std::string& uri) const;
  /// Opens the file or directory at `path` and reads its head. Throws Error (not_found, io).
  Input input_at(const std::string& path) const;

  /// Returns a session with the same parts and another clock.
  Session with_clock(ClockPtr clock) const;

  /// Returns all parts except for those whose plugins are loaded on first use: they are not in
  /// `transports`, `video_codecs`, `export_formats` and `databases`, neither before nor after.
  /// transport_schemes(), find_transport(), find_video_codec(), find_export_format() and
  /// find_database() know them all.
  const Registry& registry() const;
  /// Returns the schemes of all transports, sorted. Loads no plugin: the schemes of those that are
  /// loaded on first use are part of their file names.
  std::vector<std::string> transport_schemes() const;
  /// Returns the clock. Never null.
  const ClockPtr& clock() const { return clock_; }
  /// Returns the cache that the readers of the built-in formats share.
  const std::shared_ptr<ChunkCache>& chunk_cache() const;
  /// Returns the message definitions that define() has found in folders so far. Valid as long as
  /// the session lives.
  DefinitionCache& definition_cache() const;

  /// Returns the format that create() would select for `uri` and the format name `name`. Throws
  /// Error (invalid) if it cannot be determined.
  const Format& format_for(const std::string& uri, const std::string& name = {}) const;
  /// Returns the payload encodings that the system at `uri` accepts; empty: any. Throws as listen()
  /// does.
  std::vector<std::string_view> encodings_of(const std::string& uri) const;
  /// Returns the transport with that scheme, or null. Valid as long as the session lives. Loads its
  /// plugin if necessary; throws Error if that fails, or if the plugin was not built (not_found).
  const Transport* find_transport(std::string_view scheme) const;
  /// Returns the video codec for that format, or null. Valid as long as the session lives. Loads
  /// its plugin if necessary; throws Error if that fails, or if the plugin was not built
  /// (not_found).
  const VideoCodec* find_video_codec(std::string_view format) const;
  /// Returns the export format with that name that is not part of the library (export_formats() in
  /// kitbag/export_messages.h has all), or null. Valid as long as the session lives. Loads the
  /// plugins for exports if necessary; throws Error if that fails, or if the plugin was not built
  /// (not_found).
  const ExportFormat* find_export_format(std::string_view name) const;
  /// Returns the kind of database with that scheme that is not part of the library
  /// (kitbag/database.h), or null. Valid as long as the session lives. Loads its plugin if
  /// necessary; throws Error if that fails, or if the plugin was not built (not_found).
  const DatabaseEngine* find_database(std::string_view scheme) const;

 private:
  class KITBAG_PRIVATE Parts;
  class KITBAG_PRIVATE Plugins;
  Session(std::shared_ptr<Parts> parts, ClockPtr clock);

  std::shared_ptr<Parts> parts_;
  ClockPtr clock_;
};

}  // namespace kitbag
