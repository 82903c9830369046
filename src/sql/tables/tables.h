#pragma once

#include <cstdint>
#include <memory>

#include "sql/bag_set.h"
#include "sql/sqlite.h"

namespace kitbag::sql {

/// Creates the tables of some bags in the temporary schema of `database`: `messages`, `topics`,
/// `bags`, `tf` and `diagnostics`; of a catalog also `tags` and `events`; one for each topic, under
/// its name and, if that is still free, under its name without the slashes ("/imu/data" is also
/// imu_data); and the functions `time_text(ns)` and `time_ns(text)`. Topics whose messages cannot
/// be decoded have no table; `set->on_warning` is called with the reason. Returns the number of
/// tables, second names not counted. Throws Error.
std::int64_t create_tables(sqlite3* database, const std::shared_ptr<const BagSet>& set);

}  // namespace kitbag::sql
