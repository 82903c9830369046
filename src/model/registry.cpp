#include "kitbag/registry.h"

#include <algorithm>

namespace kitbag {
namespace {

bool is_called(const Format& format, std::string_view name) {
  const auto& aliases = format.aliases;
  return format.name == name || std::find(aliases.begin(), aliases.end(), name) != aliases.end();
}

}  // namespace

const Format* find_format(const Registry& registry, std::string_view name) {
  auto found = std::find_if(registry.formats.begin(), registry.formats.end(),
                            [&](const Format& format) { return is_called(format, name); });
  return found == registry.formats.end() ? nullptr : &*found;
}

}  // namespace kitbag
