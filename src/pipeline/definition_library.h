#pragma once

#include <optional>
#include <string>

#include "kitbag/registry.h"
#include "pipeline/definition_finder.h"

namespace kitbag {

/// The definitions in folders of .msg files, with all that they need.
class DefinitionLibrary {
 public:
  /// `registry` must outlive it.
  DefinitionLibrary(DefinitionPaths paths, const Registry& registry)
      : finder_(std::move(paths)), registry_(registry) {}

  /// The definition of `type` in the language of that name; nothing where the folders do not have
  /// it, or the language has no such files. Throws Error for a file that does not parse or
  /// a nested type that is missing.
  std::optional<Schema> find(const std::string& type, const std::string& language);

 private:
  /// The text of "package/Type" alone.
  std::optional<std::string> text(const std::string& name);

  DefinitionFinder finder_;
  const Registry& registry_;
};

/// The text of a file of definitions. Throws Error (unsupported) for one that is too long.
std::string read_definition(const std::string& path);

}  // namespace kitbag
