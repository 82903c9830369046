#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kitbag::sqlite3 {

/// The literal behind DEFAULT, as far as bags need it.
struct DefaultValue {
  std::optional<std::int64_t> integer;
  std::string text;  ///< as written, without quotes; empty for NULL
};

/// A column as its table was created.
struct DeclaredColumn {
  std::string name;
  bool is_stored = true;  ///< false: it is computed, and records do not have it
  DefaultValue value;     ///< of rows that were written before the column was added
};

/// What a CREATE TABLE statement says.
struct DeclaredTable {
  std::vector<DeclaredColumn> columns;
  bool has_row_ids = true;  ///< false: WITHOUT ROWID
};

/// Parses the statement as SQLite keeps it in its list of tables. Nothing: it is damaged, or
/// creates something else.
std::optional<DeclaredTable> parse_create_table(std::string_view sql);

/// Names of SQLite are the same in upper and lower case.
bool is_same_name(std::string_view a, std::string_view b);

}  // namespace kitbag::sqlite3
