#pragma once

#include <cstdint>
#include <string>

#include "kitbag/session.h"

namespace kitbag {

/// Opens the new bag at `path`, before it replaces the one at `original`. Throws Error (corrupt),
/// about the original, if the new one cannot be opened or does not have `messages` messages. An
/// encrypted bag that `reading` has no key for is not opened.
void read_back(const std::string& path, const std::string& original, std::uint64_t messages,
               const ReadOptions& reading, const Session& session);

}  // namespace kitbag
