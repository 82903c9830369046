#pragma once

#include <memory>
#include <string>

#include "kitbag/session.h"

namespace kitbag {

/// Format::create, in any file system: a bag whose format needs a local file is written to a
/// temporary one, and copied to `path` when it is closed.
std::unique_ptr<Writer> create_by(const Format& format, const std::string& path,
                                  const WriteOptions& options, const Session& session);

}  // namespace kitbag
