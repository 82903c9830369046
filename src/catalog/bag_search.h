#pragma once

#include <cstdint>
#include <functional>

#include "kitbag/catalog.h"
#include "kitbag/database.h"

namespace kitbag::catalog {

/// Catalog::find() and Catalog::count().
void find_bags(Database& database, const CatalogQuery& query,
               const std::function<void(const CatalogBag& bag)>& on_bag);
std::uint64_t count_bags(Database& database, const CatalogQuery& query, std::uint64_t most);

}  // namespace kitbag::catalog
