#pragma once

#include <array>
#include <string_view>

namespace kitbag {

/// What follows the name of a SQLite database in those of its log and of its journal. They hold a
/// part of its content, and make sense only beside it.
inline constexpr std::array<std::string_view, 2> kDatabaseLogs = {"-wal", "-journal"};

}  // namespace kitbag
