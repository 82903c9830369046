#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "kitbag/catalog.h"
#include "kitbag/session.h"

namespace kitbag::catalog {

/// Returns the paths of the files that hold the messages of the bag at `path`: itself, or the files
/// of a directory, sorted. Throws Error as opening does.
std::vector<std::string> files_of(const std::string& path, const Session& session);

/// Reads all bytes of these files. Throws Error: io, truncated, cancelled.
std::vector<CatalogChecksum> checksums_of(const std::string& path, const Session& session,
                                          const std::stop_token& stop);

}  // namespace kitbag::catalog
