#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kitbag/batch.h"
#include "kitbag/session.h"

namespace kitbag::batch {

/// What a verb makes of a bag.
enum class TargetKind {
  bag,     ///< a bag, in a file or directory
  folder,  ///< files in a folder
  text,    ///< what it prints
};

/// Returns the kind of target of a verb. Throws Error (invalid) for one that a batch cannot run.
TargetKind target_kind(const std::string& verb);

/// Returns the target for the bag that is `name` below the folder or glob that was searched, as a
/// path below BatchRequest::to; "/" at its end for a folder. `is_folder`: the bag is one.
std::string target_name(const BatchRequest& request, const std::string& name, bool is_folder,
                        const Session& session);

}  // namespace kitbag::batch
