#include "plugins.h"

#include <cstdlib>
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

}  // namespace

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
