#pragma once

#include <string>

#include "kitbag/catalog.h"
#include "kitbag/database.h"
#include "kitbag/file_system.h"
#include "kitbag/session.h"

namespace kitbag::catalog {

/// What Catalog::add() does. `listed` is what a list has said of the file at `path`; empty:
/// nothing.
CatalogChange add_bag(Database& database, const Session& session, const std::string& path,
                      const CatalogAddOptions& options, const DefinitionPaths& definitions,
                      const FileStatus& listed = {});

/// Returns whether a bag is known at `path` that has the size and time of `listed`.
bool is_listed_as_known(Database& database, const Session& session, const std::string& path,
                        const FileStatus& listed);

}  // namespace kitbag::catalog
