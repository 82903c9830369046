#include "definitions/definition_library.h"

#include "kitbag/codec.h"

namespace kitbag {

std::optional<std::string> DefinitionLibrary::text(const Language& language,
                                                   const std::string& name) {
  auto files = finder_.files(language, name);
  // The first folder wins. The folders are those of the definitions that somebody wants, and there
  // is no fingerprint to choose by.
  if (files.empty()) return std::nullopt;
  return files.front().text();
}

std::optional<Schema> DefinitionLibrary::find(const std::string& type,
                                              const std::string& language) {
  const Language* its = find_language(session_.registry(), language);
  if (!its || !its->files) return std::nullopt;
  auto own = text(*its, type);
  if (!own) return std::nullopt;
  auto nested = [&](const std::string& name) { return text(*its, name); };
  return Schema{type, language, its->files->full_text(type, *own, nested)};
}

}  // namespace kitbag
