#pragma once

#include <optional>
#include <string>

#include "catalog/bag_rows.h"
#include "kitbag/file_system.h"
#include "kitbag/session.h"

namespace kitbag::catalog {

/// Returns the path by which a catalog knows a bag: absolute, so that it holds in every folder; a
/// URI as it is.
std::string catalog_path(const std::string& path, const Session& session);

/// Returns what is at `path` now: the size and the newest time of the file, or of all files in a
/// directory. `bag` is 0. Nothing: nothing is there. Throws Error (io).
std::optional<KnownFile> state_of(const std::string& path, const Session& session);

/// Returns the same of a file of which a list has said the status.
KnownFile state_of(const FileStatus& status, const std::string& path, const Session& session);

/// Returns whether a path has still the content that the catalog has seen there.
bool is_as_known(const KnownFile& known, const KnownFile& now);

}  // namespace kitbag::catalog
