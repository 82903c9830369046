#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/options/inputs.h"
#include "kitbag/selector.h"
#include "kitbag/stream.h"

namespace kitbag::cli {

/// New names for topics.
struct Renames {
  /// Old and new. With one * in each, all topics that fit: "/a/*" to "/b/*". An old name without *
  /// goes before a pattern, and an earlier pattern before a later one.
  std::vector<std::pair<std::string, std::string>> topics = {};
  std::string prefix = {};  ///< comes before the names of all topics, also the new ones

  bool any() const { return !topics.empty() || !prefix.empty(); }
};

/// The new names of topics of `inputs`, by their old ones. Throws Error: not_found for a topic that
/// no bag has, or a pattern that no topic fits; invalid for a topic with two new names; unsupported
/// for a pattern or prefix of a bag that comes through a pipe, whose topics are not known.
std::map<std::string, std::string> new_names(const Renames& renames, const Inputs& inputs);

/// Warns of a new name under which there are messages of two types of what `selection` selects by
/// the old names, as text that begins with `about`; of a bag that comes through a pipe, at its end.
void warn_of_mixed_types(const Renames& renames, const Selection& selection, const Inputs& inputs,
                         const std::string& about = {});

/// `source` of `inputs` with new names. Throws as new_names() does.
std::unique_ptr<Source> renamed(std::unique_ptr<Source> source, const Renames& renames,
                                const Inputs& inputs);

}  // namespace kitbag::cli
