#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>

#include "kitbag/catalog.h"
#include "kitbag/database.h"

// What belongs to bags and is in tables of its own. A page of a list has up to 500 bags, so each
// table is asked once for all of them: a question to a server costs more than its answer.

namespace kitbag::catalog {

/// Bags that were read, by their numbers. They must outlive it.
class NumberedBags {
 public:
  explicit NumberedBags(std::span<CatalogBag> bags);

  /// Runs a statement for all bags: "{}" in it becomes their numbers, "1, 2, 3". The first column
  /// of its rows is the number of a bag, and `on_row` gets the bag. Throws as Database::run() does.
  void run(Database& database, const std::string& statement,
           const std::function<void(CatalogBag& bag, SqlRow& row)>& on_row) const;

 private:
  std::map<std::int64_t, CatalogBag*> bags_;
  std::string numbers_;
};

/// Adds the paths, sorted.
void add_paths(Database& database, std::span<CatalogBag> bags);
/// Adds topics, drops, checksums, tags and events.
void add_details(Database& database, std::span<CatalogBag> bags);

}  // namespace kitbag::catalog
