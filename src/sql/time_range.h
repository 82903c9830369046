#pragma once

#include <span>
#include <string>

#include "kitbag/bag.h"
#include "sql/sqlite.h"

namespace kitbag::sql {

/// Takes the conditions on the column `time` of a query, as far as they can be looked up in an
/// index, and returns a letter for each. Their values become arguments from number `argument` on,
/// which is counted up. SQLite checks the conditions all the same.
std::string take_time_conditions(sqlite3_index_info& query, int time_column, int& argument);

/// Restricts `query` to the times that meet those conditions.
void apply_time_conditions(const std::string& conditions, std::span<sqlite3_value*> values,
                           Query& query);

}  // namespace kitbag::sql
