#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "storage/sqlite3/pages/create_statement.h"

namespace kitbag::sqlite3 {

/// Where the records of a table have the columns that rosbag2 gives it. Usually they are where
/// rosbag2 has them; a table that another program has made or changed may have others between.
class RowLayout {
 public:
  /// The columns in rosbag2's order.
  RowLayout() = default;
  /// As `table` says. `names`: the columns in rosbag2's order.
  RowLayout(const DeclaredTable& table, const std::vector<std::string_view>& names);

  /// The place in the record of rosbag2's column `column`; nothing: the table has none.
  std::optional<std::size_t> place_of(std::size_t column) const;
  /// What rows have whose record ends before the column.
  const DefaultValue& default_of(std::size_t column) const;
  /// Columns of the whole record; nothing: it is not known.
  std::optional<std::size_t> count() const { return count_; }

 private:
  struct Place {
    std::optional<std::size_t> stored;
    DefaultValue value;
  };
  std::vector<Place> places_;
  std::optional<std::size_t> count_;
};

}  // namespace kitbag::sqlite3
