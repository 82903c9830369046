#pragma once

#include <optional>
#include <string>

#include "definitions/definition_finder.h"
#include "kitbag/session.h"

namespace kitbag {

/// The definitions in folders of files, each with the nested types that it needs.
class DefinitionLibrary {
 public:
  DefinitionLibrary(DefinitionPaths paths, const Session& session)
      : finder_(std::move(paths)), session_(session) {}

  /// The definition of `type` in the language of that name; nothing if the folders do not contain
  /// it, or if definitions of the language are not files. Throws Error for a file that does not
  /// parse or a nested type that is missing.
  std::optional<Schema> find(const std::string& type, const std::string& language);

 private:
  /// The text of the type of that full name alone.
  std::optional<std::string> text(const Language& language, const std::string& name);

  DefinitionFinder finder_;
  Session session_;
};

}  // namespace kitbag
