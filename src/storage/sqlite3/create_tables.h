#pragma once

#include "storage/sqlite3/database.h"

namespace kitbag::sqlite3 {

/// Creates the tables that every bag of the schema version has, as rosbag2 does. kitbag's own are
/// created by what writes to them, so that a bag which needs none is as rosbag2's.
void create_tables(Database& database, int schema_version);

}  // namespace kitbag::sqlite3
