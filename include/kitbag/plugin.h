#pragma once

#include <string>
#include <vector>

#include "kitbag/abi.h"
#include "kitbag/registry.h"

namespace kitbag {

/// What a plugin exports as `kitbag_plugin`, with C linkage. Its first member is read before any
/// C++ of the plugin is touched.
struct Plugin {
  const char* stamp;                   ///< KITBAG_ABI_STAMP
  void (*add_to)(Registry& registry);  ///< adds what the plugin brings
};

/// Defines what a plugin exports; `add_to` is a function `void(kitbag::Registry&)`. Once in a
/// shared object, which is never unloaded.
#define KITBAG_PLUGIN(add_to)                       \
  extern "C" __attribute__((visibility("default"))) \
  const kitbag::Plugin kitbag_plugin = {KITBAG_ABI_STAMP, add_to}

/// Loads the plugin at `path` into `registry`. Throws Error: not_found, invalid (it is no plugin),
/// unsupported (it was built against another kitbag, or by another compiler).
KITBAG_API void load_plugin(const std::string& path, Registry& registry);

/// The shared objects in `folders`, by name; a folder that is not there has none.
KITBAG_API std::vector<std::string> find_plugins(const std::vector<std::string>& folders);

}  // namespace kitbag
