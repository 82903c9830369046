#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "storage/sqlite3/pages/create_statement.h"

namespace kitbag::sqlite3 {

/// Columns of a table, in the order in which rosbag2 creates them.
struct KnownTable {
  std::string_view name;
  std::vector<std::string_view> columns;
  std::size_t required;  ///< those up to this one are in each version
};

/// Null: rosbag2 has no such table.
const KnownTable* known_table(std::string_view name);

/// Whether `sql`, which was parsed as `table`, seems to have had a column of rosbag2's that the
/// table lacks: nothing protects the statement from damaged bits.
bool has_damaged_name(std::string_view sql, const DeclaredTable& table, const KnownTable& known);

}  // namespace kitbag::sqlite3
