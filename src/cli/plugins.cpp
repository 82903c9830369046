#include "plugins.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>

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
  return {(program / "plugins").string(), (program / "../lib/kitbag").string()};
}

}  // namespace

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
