#pragma once

#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/catalog.h"
#include "kitbag/session.h"
#include "server/bags/bag_entry.h"
#include "server/bags/catalog_name.h"
#include "server/bags/catalog_pool.h"

// The bags of a catalog, as a server offers them. Their names are made of their content: the begin
// of the fingerprint, and the name of the file for people, as in "74d78a3b3574b913~lap.mcap". So
// a name means the same bag, and the same bytes, in every server that has the catalog, wherever the
// bag is moved; and a bag that was replaced is not taken for the one that it was.

namespace kitbag::server {

/// What people call the bag: the name of its file.
std::string catalog_title(const CatalogBag& bag);
/// The same of a bag as it is served, of a catalog or not.
std::string title_of(const BagEntry& bag);
/// The begin of the fingerprint in a name; empty: it is no name of a bag of a catalog.
std::string_view fingerprint_in(std::string_view name);
/// Whether `path` is `place`, or lies below it. Both are absolute, or URIs.
bool is_at_or_below(std::string_view path, std::string_view place);

/// Any thread.
class CatalogBags {
 public:
  /// If there are `places`, only bags that lie at or below one of them are offered. Throws Error as
  /// Catalog does.
  CatalogBags(const std::string& address, std::vector<std::string> places, const Session& session);

  /// The bag with that name; null: no bag of a catalog has such a name. Bags whose file has changed
  /// are not offered. What was found counts for five seconds, and for longer while the catalog
  /// cannot be reached. Throws Refusal: 404 for a bag that is not in the catalog, 410 for one that
  /// is not where the catalog says, 403 for one in another place, 503.
  BagEntryPtr find(std::string_view name);

  CatalogPool& pool() { return pool_; }

 private:
  /// What the catalog says of a bag.
  struct Row {
    CatalogBag bag;
    std::vector<CatalogFile> files;
  };
  struct Known {
    std::string fingerprint_begin;
    Row row;
    BagEntryPtr entry;
    SteadyTime at{};
  };

  std::optional<Known> known(std::string_view fingerprint_begin);
  void keep(Known known);
  std::optional<Row> row_of(const std::string& fingerprint_begin);
  BagEntryPtr look(const Row& row, const BagEntryPtr& before) const;
  std::string path_of(const Row& row) const;
  std::string root_of(const std::string& path) const;
  bool is_offered(const std::string& path) const;

  Session session_;
  std::vector<std::string> places_;
  CatalogPool pool_;
  std::mutex mutex_;
  std::list<Known> known_;  ///< the one that was asked for last is the first
};

}  // namespace kitbag::server
