#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sql/sqlite.h"

namespace kitbag::sql {

/// Returns the numbers of the columns that a query names, of those from 1 to `last`, as text for
/// Cursor::start(): "1,4,7".
std::string print_wanted(const sqlite3_index_info& query, std::size_t last);

/// Returns them as numbers again.
std::vector<std::size_t> parse_wanted(const std::string& text);

}  // namespace kitbag::sql
