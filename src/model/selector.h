#pragma once

#include <memory>

#include "kitbag/bag.h"

namespace kitbag {

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
