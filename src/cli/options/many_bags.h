#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/options/inputs.h"

// Verbs that take several bags do with each what they do with one. One that fails is reported, and
// the others still have their turn.

namespace kitbag::cli {

/// A bag that was named, or that is below a folder that was named.
struct NamedBag {
  std::string path;
  std::string name;  ///< below the folder, with the folders between; else the name of the file
};

/// The bags that `paths` stand for, which may be globs. With `is_recursive`, a folder of bags
/// stands for all bags below it. Throws Error: not_found for a folder without bags or a glob that
/// nothing matches, io.
std::vector<NamedBag> named_bags(const std::vector<std::string>& paths, bool is_recursive,
                                 const Context& context);

/// Calls `work` for each of `paths`, and gives the worst exit code of all. An Error is thrown where
/// there is one path, and else printed; the next one follows. Throws Error (cancelled).
int for_each_bag(const std::vector<std::string>& paths, const Context& context,
                 const std::function<int(const std::string& path)>& work);

/// A line with the path, above what is printed of one of several bags.
void print_bag_heading(const std::string& path, bool is_first, Output& out);

/// Bags that a verb reads in turn: `bags` as given, and what to do with folders.
struct ManyBags {
  std::vector<std::string> bags;
  bool is_recursive = false;

  /// Their paths; see named_bags().
  std::vector<std::string> paths(const Context& context) const;
  /// The output has to tell which bag it is about. The answer does not depend on what is in a
  /// folder, so that scripts can rely on it.
  bool are_several(const Context& context) const;
};

}  // namespace kitbag::cli
