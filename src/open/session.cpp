#include "kitbag/session.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

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

// Three ways for a plugin to get in. Those that a caller names must load. Those in
// KITBAG_PLUGIN_PATH are found, not asked for, so one that is broken is a warning. kitbag's own
// transports, which link roscpp or DDS, are loaded when their scheme is first used: otherwise each
// start of the program would load these libraries.
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

/// The scheme that the plugin at `path` is loaded for: "ros1" of transport_ros1.so.
std::optional<std::string> plugin_scheme(const std::string& path) {
  constexpr std::string_view kPrefix = "transport_";
  std::string name = std::filesystem::path(path).stem();
  if (!name.starts_with(kPrefix)) return std::nullopt;
  return name.substr(kPrefix.size());
}

/// A transport of kitbag's own that is a plugin, and the Debian package that it is built with.
struct OwnTransport {
  std::string_view scheme;
  std::string_view package;
};
constexpr OwnTransport kOwnTransports[] = {{"ros1", "libroscpp-dev"}, {"ros2", "cyclonedds-dev"}};

/// Throws Error (not_found) where the plugin of `scheme` was not built, with what it takes.
void require_built(std::string_view scheme) {
  for (const OwnTransport& own : kOwnTransports) {
    if (own.scheme != scheme) continue;
    throw Error(
        ErrorCode::not_found,
        fmt::format(
            "the plugin transport_{}.so is not in {}; install the package {} and rebuild kitbag",
            scheme, fmt::join(own_folders(), " or "), own.package),
        fmt::format("{}://", scheme));
  }
}

}  // namespace

/// With the transports that come with kitbag as plugins. They bring much with them, so each is
/// loaded when it is asked for.
class Session::Plugins final : public Session::Parts {
 public:
  using Parts::Parts;

  const Transport* load_transport(std::string_view scheme) override {
    std::lock_guard lock(mutex_);
    if (const Transport* loaded = find_loaded(scheme)) return loaded;
    for (const std::string& path : find_plugins(own_folders())) {
      if (plugin_scheme(path) != scheme) continue;
      Registry brought;
      load_plugin(path, brought);
      for (Transport& each : brought.transports) loaded_.push_back(std::move(each));
      return find_loaded(scheme);
    }
    require_built(scheme);
    return nullptr;
  }

  std::vector<std::string> loadable_schemes() const override {
    std::vector<std::string> schemes;
    for (const std::string& path : find_plugins(own_folders())) {
      if (auto scheme = plugin_scheme(path)) schemes.push_back(std::move(*scheme));
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
  std::list<Transport> loaded_;  ///< where they are they stay
};

Session::Session() : Session(SessionOptions()) {}

Session::Session(SessionOptions options)
    : Session(std::make_shared<Plugins>(registry_with(options), options.cache_bytes),
              std::move(options.clock)) {}

}  // namespace kitbag
