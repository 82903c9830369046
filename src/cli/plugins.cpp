#include "plugins.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "kitbag/error.h"
#include "kitbag/plugin.h"
#include "print.h"

namespace kitbag::cli {
namespace {

std::vector<std::string> plugin_folders() {
  const char* value = std::getenv("KITBAG_PLUGIN_PATH");
  std::istringstream folders(value ? value : "");
  std::vector<std::string> all;
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty()) all.push_back(folder);
  }
  return all;
}

/// Where the program's own plugins lie: beside it as it was built, or installed.
std::vector<std::string> own_folders() {
  std::error_code error;
  auto program = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  return {(program / "plugins").string(), (program.parent_path() / "lib" / "kitbag").string()};
}

/// What brings a transport of kitbag's own that is a plugin: the Debian package that it is built
/// with.
struct OwnTransport {
  std::string_view scheme;
  std::string_view package;
};
constexpr OwnTransport kOwnTransports[] = {{"ros1", "libroscpp-dev"}, {"ros2", "cyclonedds-dev"}};

}  // namespace

void require_transport(const Location& location, const Registry& registry) {
  if (find_transport(registry, location.scheme)) return;
  for (const OwnTransport& own : kOwnTransports) {
    if (own.scheme != location.scheme) continue;
    throw Error(ErrorCode::not_found,
                fmt::format("the plugin transport_{}.so is neither in {}; it is built where {} is "
                            "installed: install that package, then build kitbag again",
                            own.scheme, fmt::join(own_folders(), " nor in "), own.package),
                location.uri);
  }
}

void load_transport(const std::string& scheme, Registry& registry) {
  for (const std::string& path : find_plugins(own_folders())) {
    if (std::filesystem::path(path).stem() == "transport_" + scheme) load_plugin(path, registry);
  }
}

void load_plugins(const std::vector<std::string>& paths, Registry& registry) {
  for (const std::string& path : find_plugins(plugin_folders())) {
    try {
      load_plugin(path, registry);
    } catch (const Error& error) {  // nobody has asked for this one
      print_warning(error.what());
    }
  }
  for (const std::string& path : paths) load_plugin(path, registry);
}

}  // namespace kitbag::cli
