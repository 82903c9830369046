#pragma once

#include <string>

#include "catalog/bag_rows.h"
#include "kitbag/catalog.h"
#include "kitbag/session.h"

namespace kitbag::catalog {

/// Opens the bag at `path` and returns what a catalog keeps of it, without paths, tags and notes.
/// Throws Error as opening and reading do.
NewBag look_at_bag(const std::string& path, const CatalogAddOptions& options,
                   const DefinitionPaths& definitions, const Session& session);

}  // namespace kitbag::catalog
