#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "storage/sqlite3/message_row.h"
#include "storage/sqlite3/pages/table.h"

namespace kitbag::sqlite3 {

/// The tables of a bag, found by the content of their pages.
///
/// A database is a tree of pages; if one above the leaves is damaged, all below it is lost to
/// readers of the tree. But the columns of a leaf show which table it belongs to, and its rows have
/// ids; so every page is looked at, and the leaves are put in order. (SQLite's own `.recover` does
/// the same.)
struct Salvage {
  std::shared_ptr<const TableTree> messages;
  std::shared_ptr<const TableTree> topics;
  std::shared_ptr<const TableTree> definitions;
  std::shared_ptr<const TableTree> metadata;
  std::shared_ptr<const TableTree> stamps;
  std::shared_ptr<const TableTree> channels;
  std::shared_ptr<const TableTree> records;
  std::uint64_t messages_found = 0;
  std::uint64_t messages_missing = 0;  ///< ids between the first and the last that are nowhere
};

/// Reads the whole file. `columns` of messages, as far as they are known. Throws Error (io).
Salvage salvage(const PageFile& file, const MessageColumns& columns);

}  // namespace kitbag::sqlite3
