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

/// Returns how many of `rows` such conditions may leave: a guess, for the order of joins.
double rows_in_time(const std::string& conditions, double rows);

/// Returns whether a query wants its rows by ascending time and by nothing else.
bool is_by_time(const sqlite3_index_info& query, int time_column);

/// Restricts `query` to the times that meet those conditions. Throws Error (invalid) if one
/// compares with a text.
void apply_time_conditions(const std::string& conditions, std::span<sqlite3_value*> values,
                           Query& query);

}  // namespace kitbag::sql
