#pragma once

#include <string>
#include <vector>

#include "kitbag/registry.h"

namespace kitbag::cli {

/// Loads the plugins in the folders of KITBAG_PLUGIN_PATH, with a warning for each that cannot be,
/// and those of `paths`. Throws Error for one of these.
void load_plugins(const std::vector<std::string>& paths, Registry& registry);

/// Loads the program's own plugin for that transport, transport_SCHEME.so, where there is one.
void load_transport(const std::string& scheme, Registry& registry);

/// Throws Error (not_found) where `registry` lacks a transport whose plugin was not built, with
/// what it takes to build it.
void require_transport(const Location& location, const Registry& registry);

}  // namespace kitbag::cli
