#pragma once

#include <string>

#include "kitbag/database.h"

namespace kitbag::catalog {

/// Makes the tables of a new catalog, or brings those of an older kitbag up to date, in one
/// transaction. A catalog that is up to date is not written to. Throws Error: unsupported for one
/// of a newer kitbag, and as Database::run() does.
void create_schema(Database& database, const std::string& address);

/// The same for a catalog that must be there. Throws Error (not_found), too.
void update_schema(Database& database, const std::string& address);

/// Makes room for the pyramids and pictures of bags that start at `start_ns`, in databases that
/// keep them apart by month. In a transaction.
void create_partition(Database& database, std::int64_t start_ns);

}  // namespace kitbag::catalog
