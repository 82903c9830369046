#pragma once

#include "sql/bag_set.h"

struct sqlite3;

namespace kitbag::sql {

/// Replaces the functions of LIKE and GLOB by ones that end when `set` is stopped, also within one
/// text. `set` must outlive the database.
void add_like(sqlite3* database, const BagSet& set);

}  // namespace kitbag::sql
