#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

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

  /// All files of the type of that full name, the first folder's first: "package/Type", or one of
  /// the messages of a service or an action, "package/srv/Type_Event". None for what is no such
  /// name: names come from bags.
  std::vector<File> files(const std::string& name);

 private:
  using Packages = std::map<std::string, std::vector<std::string>>;  ///< their folders, by name

  const Packages& packages_below(std::size_t folder);

  DefinitionPaths paths_;
  std::map<std::size_t, Packages> below_;  ///< by folder
};

/// The names that the message of that full name has had and may lie under, its own first.
std::vector<std::string> names_of_history(const std::string& name);

}  // namespace kitbag
