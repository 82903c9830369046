#pragma once

#include <memory>
#include <string>

#include "kitbag/session.h"

namespace kitbag {

/// append() for callers that exclude other writers if the bag is a folder. Files are locked by
/// their formats.
std::unique_ptr<Writer> append_locked(const std::string& path, const WriteOptions& options,
                                      const Session& session);

}  // namespace kitbag
