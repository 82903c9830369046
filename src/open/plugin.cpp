#include "kitbag/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "kitbag/error.h"

// Plugins share C++ types with the library, whose layout depends on compiler, standard library and
// version. Nothing checks that at load time, so both sides carry a stamp (KITBAG_ABI_STAMP), which
// is a plain C string: it can be compared before anything else of the plugin is used.

namespace kitbag {

void load_plugin(const std::string& path, Registry& registry) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    throw Error(ErrorCode::not_found, "the plugin does not exist", path);
  }
  // Never unloaded: what it has put into the registry may outlive everything here.
  std::string absolute = std::filesystem::absolute(path).string();  // no search in library paths
  void* object = ::dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!object) {
    throw Error(ErrorCode::invalid, fmt::format("the plugin cannot be loaded: {}", ::dlerror()),
                path);
  }
  const auto* plugin = static_cast<const Plugin*>(::dlsym(object, "kitbag_plugin"));
  if (!plugin) {
    throw Error(ErrorCode::invalid, "not a kitbag plugin: it does not export kitbag_plugin", path);
  }
  if (std::strcmp(plugin->stamp, KITBAG_ABI_STAMP) != 0) {
    throw Error(ErrorCode::unsupported,
                fmt::format("the plugin was built for ({}), but this is ({}); rebuild it",
                            plugin->stamp, KITBAG_ABI_STAMP),
                path);
  }
  plugin->add_to(registry);
}

std::vector<std::string> find_plugins(const std::vector<std::string>& folders) {
  std::vector<std::string> found;
  for (const std::string& folder : folders) {
    auto first = static_cast<std::ptrdiff_t>(found.size());
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
      if (entry.path().extension() == ".so") found.push_back(entry.path().string());
    }
    std::sort(found.begin() + first, found.end());
  }
  return found;
}

}  // namespace kitbag
