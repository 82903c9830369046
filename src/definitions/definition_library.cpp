#include "definitions/definition_library.h"

#include <cstdint>
#include <span>

#include "kitbag/error.h"
#include "kitbag/file.h"

namespace kitbag {

namespace {

/// No language reads longer ones; the largest real one seen has 30 KiB.
constexpr std::uint64_t kMaxTextBytes = 4 << 20;

}  // namespace

std::optional<std::string> DefinitionLibrary::text(const DefinitionFiles& language,
                                                   const std::string& name) {
  auto files = finder_.files(language, name);
  if (files.empty()) return std::nullopt;
  return read_definition(files.front().path);
}

std::optional<Schema> DefinitionLibrary::find(const std::string& type,
                                              const std::string& language) {
  const Language* its = find_language(session_.registry(), language);
  if (!its || !its->files) return std::nullopt;
  auto own = text(*its->files, type);
  if (!own) return std::nullopt;
  auto nested = [&](const std::string& name) { return text(*its->files, name); };
  return Schema{type, language, its->files->full_text(type, *own, nested)};
}

std::string read_definition(const std::string& path) {
  auto file = open_file(path);
  std::uint64_t size = file->size();
  if (size > kMaxTextBytes) {
    throw Error(ErrorCode::unsupported, "the file is too large for a definition", path);
  }
  std::string text(static_cast<std::size_t>(size), '\0');
  text.resize(file->read(0, std::as_writable_bytes(std::span(text))));
  return text;
}

}  // namespace kitbag
