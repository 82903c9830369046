#pragma once

#include <string>

#include "kitbag/session.h"

namespace kitbag {

/// Throws Error (invalid) if the original of the file at `place` (no URI) was kept before.
void require_no_original(const std::string& place, const Session& session);

/// Gives the file at `place` its second name, original_path(place). Throws Error as
/// require_no_original() does, and io.
void keep_original(const std::string& place, const Session& session);

}  // namespace kitbag
