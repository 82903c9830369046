#pragma once

#include <string>

#include "kitbag/session.h"

namespace kitbag::directory {

/// Format::remove_part of directories. Only the file that leaves and the one that is the first then
/// are opened, not one that somebody is writing.
void remove_part(const std::string& path, const std::string& part, const Session& session);

}  // namespace kitbag::directory
