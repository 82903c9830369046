#pragma once

#include <filesystem>
#include <random>
#include <string>

#include "kitbag/error.h"

// What is to become a file or folder is written under a hidden name beside it, such as
// ".run.bag.0f3a92c1.part", and locked by its writer (write_lock.h) for as long as that lives.

namespace kitbag {

/// A hidden name beside `target`.
std::string hidden_name(const std::filesystem::path& target, std::random_device& random);

/// Removes what crashed writers of `target` have left under hidden names, and reports each to
/// `on_warning`. What a living writer has locked stays, and on a file system without locks
/// everything does.
void remove_leftovers(const std::filesystem::path& target, const OnWarning& on_warning);

/// True if the open file is a SQLite database. Throws Error (io).
bool is_database(int file, const std::string& path);
/// Removes the logs of a database that was at `path`, before another comes there: SQLite, and
/// kitbag, would take them for its own.
void remove_logs(const std::string& path);

}  // namespace kitbag
