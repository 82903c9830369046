#include "kitbag/session.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <list>
#include <mutex>
#include <optional>
#include <sstream>
#include <utility>

#include "kitbag/open.h"
#include "kitbag/plugin.h"
#include "model/session_parts.h"
#include "open/own_exports.h"

// Three ways for a plugin to get in. Those that a caller names must load. Those in
// KITBAG_PLUGIN_PATH are found, not asked for, so one that is broken is a warning. kitbag's own,
// which link libzmq, roscpp, DDS or libav, are loaded on first use: otherwise each start of the
// program would load these libraries. What they are for is in their names.
//
// The folder of kitbag's own is found from the address of a function of the library: the program
// may be Python or a server somewhere else.

namespace kitbag {
namespace {

std::vector<std::string> folders_of_the_environment() {
  const char* value = std::getenv("KITBAG_PLUGIN_PATH");
  std::istringstream folders(value ? value : "");
  std::vector<std::string> all;
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty()) all.push_back(folder);
  }
  return all;
}

Registry registry_with(const SessionOptions& options) {
  Registry registry = standard_registry();
  registry.remote = options.remote;
  for (const std::string& path : find_plugins(folders_of_the_environment())) {
    try {
      load_plugin(path, registry);
    } catch (const Error& error) {  // nobody has asked for this one
      if (options.on_warning) options.on_warning(error);
    }
  }
  for (const std::string& path : options.plugins) load_plugin(path, registry);
  return registry;
}

/// Where the plugins of kitbag's own lie: beside the library as it was built, or installed.
std::vector<std::string> own_folders() {
  Dl_info library{};
  if (::dladdr(reinterpret_cast<const void*>(&own_folders), &library) == 0) return {};
  std::error_code error;
  auto file = std::filesystem::weakly_canonical(library.dli_fname, error);
  if (error) return {};
  return {(file.parent_path() / "plugins").string(), (file.parent_path() / "kitbag").string()};
}

constexpr std::string_view kTransport = "transport_";
constexpr std::string_view kVideo = "video_";
constexpr std::string_view kExport = "export_";
constexpr std::string_view kFiles = "files_";
constexpr std::string_view kDatabase = "database_";

/// "ros1" of transport_ros1.so, for the prefix "transport_".
std::optional<std::string> name_behind(std::string_view prefix, const std::string& path) {
  std::string name = std::filesystem::path(path).stem();
  if (!name.starts_with(prefix)) return std::nullopt;
  return name.substr(prefix.size());
}

/// A transport of kitbag's own that is in a plugin, and the Debian package that it is built with.
struct OwnTransport {
  std::string_view scheme;
  std::string_view plugin;
  std::string_view built_with;
};
constexpr OwnTransport kOwnTransports[] = {{"ros1", "ros1", "libroscpp-dev"},
                                           {"ros2", "ros2", "cyclonedds-dev"},
                                           {"zmq+tcp", "zmq", "libzmq3-dev"},
                                           {"zmq+ipc", "zmq", "libzmq3-dev"},
                                           {"mqtt", "mqtt", "libmosquitto-dev"},
                                           {"mqtts", "mqtt", "libmosquitto-dev"},
                                           {"nats", "nats", "libnats-dev"},
                                           {"tls", "nats", "libnats-dev"},
                                           {"iceoryx", "iceoryx", "libiceoryx-posh-dev"}};

/// The name of the plugin that has the transport of `scheme`.
/// One that is not in the list is named like its scheme, so a plugin can be added without a change
/// here.
std::string_view plugin_of(std::string_view scheme) {
  for (const OwnTransport& own : kOwnTransports) {
    if (own.scheme == scheme) return own.plugin;
  }
  return scheme;
}

/// "the plugin x.so is not in ...; install the package kitbag-..., or `built_with` and rebuild
/// kitbag"
std::string not_built(std::string_view plugin, std::string_view package,
                      std::string_view built_with) {
  return fmt::format(
      "the plugin {}.so is not in {}; install the package kitbag-{}, or {} and rebuild kitbag",
      plugin, fmt::join(own_folders(), " or "), package, built_with);
}

/// The file systems of kitbag's own that are in a plugin, files_remote.
constexpr std::array<std::string_view, 3> kRemote = {"http", "https", "s3"};

/// The addresses of PostgreSQL, which is in a plugin, database_postgres.
constexpr std::array<std::string_view, 2> kPostgres = {"postgresql", "postgres"};

/// Throws Error (not_found) where the plugin of `scheme` was not built, with what it takes.
void require_built(std::string_view scheme) {
  for (const OwnTransport& own : kOwnTransports) {
    if (own.scheme != scheme) continue;
    throw Error(ErrorCode::not_found,
                not_built(fmt::format("{}{}", kTransport, own.plugin), own.plugin, own.built_with),
                fmt::format("{}://", scheme));
  }
}

}  // namespace

/// With the parts that come with kitbag as plugins. They bring much with them, so each is loaded
/// when it is asked for.
/// A transport is found by the name of its file. Of other kinds all plugins are loaded, since only
/// a plugin that is loaded tells what it has.
class Session::Plugins final : public Session::Parts {
 public:
  using Parts::Parts;

  const Transport* load_transport(std::string_view scheme) override {
    std::lock_guard lock(mutex_);
    if (const Transport* loaded = find_loaded(scheme)) return loaded;
    for (const std::string& path : find_plugins(own_folders())) {
      if (name_behind(kTransport, path) != plugin_of(scheme)) continue;
      Registry brought;
      load_plugin(path, brought);
      for (Transport& each : brought.transports) loaded_.push_back(std::move(each));
      return find_loaded(scheme);
    }
    require_built(scheme);
    return nullptr;
  }

  const VideoCodec* load_video_codec(std::string_view format) override {
    std::lock_guard lock(mutex_);
    if (videos_.empty()) {
      Registry brought;
      for (const std::string& path : find_plugins(own_folders())) {
        if (name_behind(kVideo, path)) load_plugin(path, brought);
      }
      if (brought.video_codecs.empty()) {
        throw Error(ErrorCode::not_found,
                    "video cannot be decoded: " +
                        not_built("video_libav", "video", "libavcodec-dev and libswscale-dev"));
      }
      videos_ = std::move(brought.video_codecs);
    }
    for (const VideoCodec& codec : videos_) {
      if (codec.format == format) return &codec;
    }
    return nullptr;
  }

  const ExportFormat* load_export_format(std::string_view name) override {
    std::lock_guard lock(mutex_);
    if (!are_exports_loaded_) {
      Registry brought;
      for (const std::string& path : find_plugins(own_folders())) {
        if (name_behind(kExport, path)) load_plugin(path, brought);
      }
      exports_ = std::move(brought.export_formats);
      are_exports_loaded_ = true;
    }
    for (const ExportFormat& format : exports_) {
      if (format.name == name) return &format;
    }
    for (const OwnExport& own : kOwnExports) {
      if (own.format != name) continue;
      throw Error(ErrorCode::not_found,
                  fmt::format("{} cannot be written: {}", name,
                              not_built(fmt::format("{}{}", kExport, own.plugin), own.package,
                                        own.built_with)));
    }
    return nullptr;
  }

  const DatabaseEngine* load_database(std::string_view scheme) override {
    if (std::find(kPostgres.begin(), kPostgres.end(), scheme) == kPostgres.end()) return nullptr;
    std::lock_guard lock(mutex_);
    if (databases_.empty()) {
      Registry brought;
      for (const std::string& path : find_plugins(own_folders())) {
        if (name_behind(kDatabase, path)) load_plugin(path, brought);
      }
      if (brought.databases.empty()) {
        throw Error(ErrorCode::not_found,
                    "PostgreSQL cannot be reached: " +
                        not_built("database_postgres", "postgres", "libpq-dev"));
      }
      databases_ = std::move(brought.databases);
    }
    return &databases_.front();
  }

  FileSystemPtr load_file_system(std::string_view scheme) override {
    if (std::find(kRemote.begin(), kRemote.end(), scheme) == kRemote.end()) return nullptr;
    std::lock_guard lock(mutex_);
    if (remote_.empty()) {
      Registry brought;
      brought.remote = registry().remote;
      for (const std::string& path : find_plugins(own_folders())) {
        if (name_behind(kFiles, path)) load_plugin(path, brought);
      }
      if (brought.file_systems.empty()) {
        throw Error(
            ErrorCode::not_found,
            "remote files cannot be read: " +
                not_built("files_remote", "remote", "libcurl4-openssl-dev and libexpat1-dev"),
            fmt::format("{}://", scheme));
      }
      remote_ = std::move(brought.file_systems);
    }
    for (const FileSystemPtr& files : remote_) {
      if (files->scheme() == scheme) return files;
    }
    return nullptr;
  }

  std::vector<std::string_view> loadable_file_systems() const override {
    return {kRemote.begin(), kRemote.end()};
  }

  std::vector<std::string> loadable_schemes() const override {
    std::vector<std::string> schemes;
    for (const std::string& path : find_plugins(own_folders())) {
      auto plugin = name_behind(kTransport, path);
      if (!plugin) continue;
      bool is_known = false;
      for (const OwnTransport& own : kOwnTransports) {
        if (own.plugin != *plugin) continue;
        schemes.emplace_back(own.scheme);
        is_known = true;
      }
      if (!is_known) schemes.push_back(std::move(*plugin));
    }
    return schemes;
  }

 private:
  const Transport* find_loaded(std::string_view scheme) const {
    for (const Transport& transport : loaded_) {
      if (transport.scheme == scheme) return &transport;
    }
    return nullptr;
  }

  std::mutex mutex_;
  std::list<Transport> loaded_;        ///< where they are they stay
  std::vector<VideoCodec> videos_;     ///< changes once
  std::vector<ExportFormat> exports_;  ///< likewise
  bool are_exports_loaded_ = false;
  std::vector<FileSystemPtr> remote_;      ///< likewise
  std::vector<DatabaseEngine> databases_;  ///< likewise
};

Session::Session() : Session(SessionOptions()) {}

Session::Session(SessionOptions options)
    : Session(std::make_shared<Plugins>(registry_with(options), options.cache_bytes),
              std::move(options.clock)) {}

}  // namespace kitbag
