#pragma once

#include <string>
#include <vector>

#include "kitbag/registry.h"

namespace kitbag::cli {

/// Loads the plugins in the folders of KITBAG_PLUGIN_PATH, with a warning for each that cannot be,
/// and those of `paths`. Throws Error for one of these.
void load_plugins(const std::vector<std::string>& paths, Registry& registry);

}  // namespace kitbag::cli
