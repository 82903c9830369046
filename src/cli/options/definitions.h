#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kitbag/definitions.h"
#include "kitbag/session.h"

namespace kitbag::cli {

/// Supplies the definitions that bags do not contain, from the given folders and those in the
/// environment, and remembers what to report about it.
class Definitions {
 public:
  /// Throws Error (not_found) for a folder that is none.
  Definitions(const std::vector<std::string>& folders, const Session& session);
  Definitions(const Definitions&) = delete;  // sources refer to this one
  Definitions& operator=(const Definitions&) = delete;

  /// `bag` or `source` with the definitions. This object must outlive it.
  BagPtr supply(BagPtr bag);
  std::unique_ptr<Source> supply(std::unique_ptr<Source> source);

  /// Where they are searched for.
  const DefinitionPaths& paths() const { return paths_; }

  /// Prints a warning line for each definition that was taken without proof; where folders were
  /// given also for each that was not found in them. Each begins with `about`.
  void warn(const std::string& about = {}) const;

 private:
  OnDefinition listener();

  DefinitionPaths paths_;
  Session session_;
  bool is_asked_for_;
  std::vector<DefinitionNews> news_;
};

}  // namespace kitbag::cli
