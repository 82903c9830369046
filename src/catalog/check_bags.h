#pragma once

#include <functional>

#include "kitbag/catalog.h"
#include "kitbag/database.h"
#include "kitbag/session.h"

namespace kitbag::catalog {

/// What Catalog::check() does.
CatalogChecked check_bags(Database& database, const Session& session,
                          const std::function<void(const CatalogProblem& problem)>& on_problem,
                          const CatalogCheckOptions& options);

}  // namespace kitbag::catalog
