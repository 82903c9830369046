#pragma once

#include "storage/sqlite3/database.h"

namespace kitbag::sqlite3 {

/// Creates the tables that every bag of the schema version has, as rosbag2 does. kitbag's own
/// tables are created by the classes that write to them, so that a bag without them looks like one
/// of rosbag2.
void create_tables(Database& database, int schema_version);

/// Creates the table of definitions, unless it is there.
void create_definitions(Database& database);

}  // namespace kitbag::sqlite3
