#pragma once

#include <memory>
#include <string>

#include "kitbag/database.h"

namespace kitbag {

/// A database in a file of SQLite. Throws as connect() does.
std::unique_ptr<Database> connect_sqlite(const std::string& path, const ConnectOptions& options);

}  // namespace kitbag
