#include "kitbag/registry.h"

#include <algorithm>

namespace kitbag {

const Format* find_format(const Registry& registry, std::string_view name) {
  auto found = std::find_if(registry.formats.begin(), registry.formats.end(),
                            [&](const Format& format) { return format.name == name; });
  return found == registry.formats.end() ? nullptr : &*found;
}

}  // namespace kitbag
