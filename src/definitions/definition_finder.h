#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "definitions/standard_definitions.h"
#include "kitbag/codec.h"
#include "kitbag/definitions.h"

namespace kitbag {

/// Finds message definitions: files in folders, and those that are part of kitbag. Subfolders are
/// listed once, when they are first needed.
class DefinitionFinder {
 public:
  explicit DefinitionFinder(DefinitionPaths paths) : paths_(std::move(paths)) {}

  struct File {
    std::string path;    ///< of a standard definition: a name for people
    std::size_t folder;  ///< equal for those that belong together: of one folder, or one release
    const StandardDefinition* standard = nullptr;  ///< null: it is a file

    /// Throws Error: it cannot be read, or is too long (unsupported).
    std::string text() const;
  };

  /// All files that may define the type with that full name in `language`, whose definitions are
  /// files, in the order of the folders.
  std::vector<File> files(const Language& language, const std::string& name);

 private:
  /// A search of packages_below(): the position of a folder, and the names of subfolders of
  /// packages.
  using Search = std::pair<std::size_t, std::vector<std::string_view>>;
  using Packages = std::map<std::string, std::vector<std::string>>;  ///< their folders, by name

  const Packages& packages_below(const Search& search);

  DefinitionPaths paths_;
  std::map<Search, Packages> below_;
};

/// The full names under which a file may define the type, its own first.
std::vector<std::string> names_of(const DefinitionFiles& language, const std::string& name);

}  // namespace kitbag
