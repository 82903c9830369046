#pragma once

#include <string>
#include <string_view>

#include "sql/bag_set.h"

struct sqlite3;

namespace kitbag::sql {

/// What follows `message` of SQLite if that says that a table or a column does not exist: the names
/// that look like it, as "; similar: odom". Tables are those of `set`, columns those of the tables
/// that `query` names. "" for other messages, and if nothing looks like it.
std::string similar_names(sqlite3* database, const BagSet& set, std::string_view message,
                          std::string_view query);

}  // namespace kitbag::sql
