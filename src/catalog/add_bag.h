#pragma once

#include <string>

#include "kitbag/catalog.h"
#include "kitbag/database.h"
#include "kitbag/session.h"

namespace kitbag::catalog {

/// What Catalog::add() does.
CatalogChange add_bag(Database& database, const Session& session, const std::string& path,
                      const CatalogAddOptions& options, const DefinitionPaths& definitions);

}  // namespace kitbag::catalog
