#include "storage/sqlite3/row_layout.h"

#include <algorithm>

namespace kitbag::sqlite3 {

RowLayout::RowLayout(const DeclaredTable& table, const std::vector<std::string_view>& names)
    : places_(names.size()) {
  std::size_t stored = 0;
  for (const DeclaredColumn& column : table.columns) {
    auto is_it = [&](std::string_view name) { return is_same_name(name, column.name); };
    auto name = std::ranges::find_if(names, is_it);
    if (name != names.end() && column.is_stored) {
      places_[static_cast<std::size_t>(name - names.begin())] = {stored, column.value};
    }
    if (column.is_stored) ++stored;
  }
  count_ = stored;
}

std::optional<std::size_t> RowLayout::place_of(std::size_t column) const {
  if (!count_) return column;
  return column < places_.size() ? places_[column].stored : std::nullopt;
}

const DefaultValue& RowLayout::default_of(std::size_t column) const {
  static const DefaultValue kNone;
  return column < places_.size() ? places_[column].value : kNone;
}

}  // namespace kitbag::sqlite3
