#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kitbag/codec.h"
#include "kitbag/definitions.h"

namespace kitbag {

/// Finds the files of message definitions in folders. What lies folders down is listed once, when
/// it is first asked for.
class DefinitionFinder {
 public:
  explicit DefinitionFinder(DefinitionPaths paths) : paths_(std::move(paths)) {}

  struct File {
    std::string path;
    std::size_t folder;  ///< position in the paths
  };

  /// All files that `language` says define the type of that full name, the first folder's first.
  std::vector<File> files(const DefinitionFiles& language, const std::string& name);

 private:
  /// What packages_below() looks for: a folder, by its position, and what packages have in them.
  using Search = std::pair<std::size_t, std::vector<std::string_view>>;
  using Packages = std::map<std::string, std::vector<std::string>>;  ///< their folders, by name

  const Packages& packages_below(const Search& search);

  DefinitionPaths paths_;
  std::map<Search, Packages> below_;
};

/// The names that the type of that full name has had and its file may have, its own first.
std::vector<std::string> names_of(const DefinitionFiles& language, const std::string& name);

}  // namespace kitbag
