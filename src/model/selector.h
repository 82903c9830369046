#pragma once

#include <memory>
#include <string>

#include "kitbag/bag.h"

namespace kitbag {

/// `name` is what `glob` says, or what it stands for: `*` and `?` match `/` too, `[...]` is a set.
bool matches_glob(const std::string& glob, const std::string& name);

/// A Selection made ready: expressions compiled once.
class Selector {
 public:
  /// Throws Error (invalid) for an expression that does not compile.
  explicit Selector(const Selection& selection);
  ~Selector();

  bool matches(const Channel& channel) const;

 private:
  struct Compiled;
  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace kitbag
