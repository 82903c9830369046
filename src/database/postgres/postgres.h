#pragma once

#include <memory>
#include <string>

#include "kitbag/database.h"

namespace kitbag {

/// A database of a PostgreSQL server. Throws as connect() does.
std::unique_ptr<Database> connect_postgres(const std::string& address,
                                           const ConnectOptions& options);

}  // namespace kitbag
