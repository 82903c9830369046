#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kitbag/catalog.h"
#include "kitbag/database.h"

namespace kitbag::catalog {

/// A query for bags as SQL, with its parameters.
struct BagQuery {
  std::string where;  ///< "WHERE ..." and what follows; empty: all bags
  std::vector<SqlValue> parameters;
  bool is_empty = false;  ///< certainly no bag: a topic is wanted that none has
};

/// Returns the bags that `query` selects, in its order, without `skip` and `most`. Names and globs
/// of topics are looked up among those that the catalog knows, which are few. Throws Error, as
/// Database::run() does, and invalid for a glob that is none.
BagQuery bag_query(Database& database, const CatalogQuery& query);

/// Returns the start and the number of the bag that a cursor_of() stands for; nothing for "".
/// Throws Error (invalid) for what is no cursor.
std::optional<CatalogBag> bag_before(const std::string& cursor);

}  // namespace kitbag::catalog
