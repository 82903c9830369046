#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "context.h"
#include "kitbag/bag.h"
#include "kitbag/damage.h"

namespace kitbag::cli {

/// The bags that a verb reads, and the damage found in them on the way. Strict: the first damage
/// is thrown. One thread.
class Inputs {
 public:
  /// Opens them all; those that are encrypted with `gpg_key`, as ReadOptions has it. Throws Error.
  Inputs(const std::vector<std::string>& paths, bool is_strict, const Context& context,
         const std::string& gpg_key = {});

  std::span<const BagPtr> bags() const { return bags_; }

  /// All bags as one source, ordered as `query` says. The Inputs must outlive it.
  std::unique_ptr<Source> read(const Query& query) const;

  /// Prints one warning line for each bag that is damaged: the first problem and how many more.
  void warn() const;

 private:
  std::vector<BagPtr> bags_;
  std::vector<std::unique_ptr<Damage>> damage_;  ///< by bag; their addresses are known to bags
};

}  // namespace kitbag::cli
