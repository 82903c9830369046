#pragma once

#include <string_view>

#include "kitbag/registry.h"

namespace kitbag {

/// The format whose extension the name of a bag has, with or without .active; null if none has.
const Format* format_of_extension(const Registry& registry, std::string_view path);

}  // namespace kitbag
