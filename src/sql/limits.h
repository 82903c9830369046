#pragma once

#include "sql/bag_set.h"

struct sqlite3;

namespace kitbag::sql {

/// Limits what a query may take of a database whose users are strangers (BagSet::is_for_strangers):
/// between two looks of SQLite at whether it should go on, one call of a function must not take
/// long. `set` must outlive the database.
void limit_for_strangers(sqlite3* database, const BagSet& set);

}  // namespace kitbag::sql
