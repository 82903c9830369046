#include "definitions/definition_library.h"

#include <span>

#include "kitbag/error.h"
#include "kitbag/file.h"
#include "language/ros1msg/parser.h"
#include "language/ros2/names.h"

namespace kitbag {

std::optional<std::string> DefinitionLibrary::text(const std::string& name) {
  auto files = finder_.files(ros2::short_name(name));
  if (files.empty()) return std::nullopt;
  return read_definition(files.front().path);
}

std::optional<Schema> DefinitionLibrary::find(const std::string& type,
                                              const std::string& language) {
  const Language* its = find_language(session_.registry(), language);
  if (!its || !its->files) return std::nullopt;
  auto own = text(type);
  if (!own) return std::nullopt;
  auto nested = [this](const std::string& name) { return text(name); };
  return Schema{type, language, its->files->full_text(type, *own, nested)};
}

std::string read_definition(const std::string& path) {
  auto file = open_file(path);
  std::uint64_t size = file->size();
  if (size > ros1msg::kMaxTextBytes) {
    throw Error(ErrorCode::unsupported, "the file is too large for a definition", path);
  }
  std::string text(static_cast<std::size_t>(size), '\0');
  text.resize(file->read(0, std::as_writable_bytes(std::span(text))));
  return text;
}

}  // namespace kitbag
