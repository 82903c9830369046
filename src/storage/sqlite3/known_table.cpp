#include "storage/sqlite3/known_table.h"

#include <algorithm>

namespace kitbag::sqlite3 {

namespace {

/// Whether `name` may have been `known` before a bit of it was damaged: one character differs, or
/// ends it.
bool is_damaged_name(std::string_view name, std::string_view known) {
  if (name.size() < known.size()) return known.starts_with(name);
  auto [at, there] = std::ranges::mismatch(name, known);
  return name.size() == known.size() && at != name.end() &&
         std::equal(at + 1, name.end(), there + 1);
}

}  // namespace

const KnownTable* known_table(std::string_view name) {
  static const std::vector<KnownTable> kTables = {
      {"topics",
       {"id", "name", "type", "serialization_format", "offered_qos_profiles",
        "type_description_hash"},
       3},
      {"messages", {"id", "topic_id", "timestamp", "data"}, 4},
      {"message_definitions",
       {"id", "topic_type", "encoding", "encoded_message_definition", "type_description_hash"},
       4},
      {"metadata", {"id", "metadata_version", "metadata"}, 3},
      {"schema", {"schema_version", "ros_distro"}, 1},
  };
  auto known = std::ranges::find(kTables, name, &KnownTable::name);
  return known == kTables.end() ? nullptr : &*known;
}

bool has_damaged_name(std::string_view sql, const DeclaredTable& table, const KnownTable& known) {
  auto is_known = [&](const DeclaredColumn& column) {
    return std::ranges::any_of(
        known.columns, [&](std::string_view name) { return is_same_name(name, column.name); });
  };
  for (std::string_view name : known.columns) {
    auto is_it = [&](const DeclaredColumn& column) { return is_same_name(name, column.name); };
    auto count = std::ranges::count_if(table.columns, is_it);
    if (count > 1) return true;  // SQLite refuses that
    if (name == "id" || count == 1) continue;
    auto was_it = [&](const DeclaredColumn& column) {
      return !is_known(column) && is_damaged_name(column.name, name);
    };
    if (sql.find(name) != std::string_view::npos || std::ranges::any_of(table.columns, was_it))
      return true;
  }
  return false;
}

}  // namespace kitbag::sqlite3
