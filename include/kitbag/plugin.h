#pragma once

#include <string>
#include <vector>

#include "kitbag/abi.h"
#include "kitbag/registry.h"

// A plugin is a shared object that adds formats, codecs, languages or transports to a registry. It
// includes public headers only, and ends with
//
//   void add_pcap(kitbag::Registry& registry) { registry.formats.push_back(pcap_format()); }
//   KITBAG_PLUGIN(add_pcap);
//
// A Session loads the plugins in the folders of KITBAG_PLUGIN_PATH and those in
// SessionOptions::plugins. Plugin and library exchange C++ objects, so both must be built with the
// same headers and a compatible compiler; a stamp in the plugin is compared before anything else in
// it is used. A plugin costs one dlopen() and is never unloaded.

namespace kitbag {

/// What a plugin exports as `kitbag_plugin`, with C linkage. `stamp` must stay the first member: it
/// is read before any C++ of the plugin is used. (Its static initializers have run by then.)
struct Plugin {
  const char* stamp;                   ///< KITBAG_ABI_STAMP
  void (*add_to)(Registry& registry);  ///< adds the parts of the plugin
};

/// Defines `kitbag_plugin`. `add_to` is a function `void(kitbag::Registry&)`. Use it once in a
/// shared object.
#define KITBAG_PLUGIN(add_to)                       \
  extern "C" __attribute__((visibility("default"))) \
  const kitbag::Plugin kitbag_plugin = {KITBAG_ABI_STAMP, add_to}

/// Loads the plugin at `path` and adds its parts to `registry`. It is never unloaded. Throws Error:
/// not_found; invalid if it is not a plugin or cannot be loaded; unsupported if it was built for
/// another kitbag or by an incompatible compiler.
KITBAG_API void load_plugin(const std::string& path, Registry& registry);

/// Returns the paths of the shared objects (.so) in `folders`, sorted by name within each. Folders
/// that do not exist are skipped.
KITBAG_API std::vector<std::string> find_plugins(const std::vector<std::string>& folders);

}  // namespace kitbag
