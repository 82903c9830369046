#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/catalog.h"
#include "sql/bag_set.h"

namespace kitbag::sql {

/// The bags of a catalog for queries, of which only those are opened whose messages a query needs.
/// One thread. It must outlive the bags that it gives.
class Fleet {
 public:
  /// Supplies a bag with what it lacks, such as definitions.
  using Complete = std::function<BagPtr(BagPtr bag)>;

  /// Reads what the catalog knows. `catalog` must outlive it, and `address` is its own, without a
  /// password. `complete` may be empty. Throws Error as Catalog::find() does.
  Fleet(Catalog& catalog, std::string address, ReadOptions read, Complete complete);
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  const std::vector<NamedBag>& bags() const { return bags_; }
  /// How many bags were opened so far.
  std::size_t opened() const { return opened_.size(); }
  /// Those of them that have changed since they were added.
  std::size_t changed() const { return changed_.size(); }
  /// Why bags were left out.
  const std::vector<Error>& failed() const { return failed_; }

 private:
  class OneBag;

  BagPtr open(const CatalogBag& bag);
  /// What concerns not only one bag.
  bool ends_all(const Error& error) const;
  Summary summary_of(const CatalogBag& bag);
  ChannelPtr channel_of(const CatalogBag& bag, const CatalogTopic& topic);
  SchemaPtr schema_of(const CatalogBag& bag, const CatalogTopic& topic);

  Catalog& catalog_;
  std::string address_;
  ReadOptions read_;
  Complete complete_;
  std::vector<NamedBag> bags_;
  std::map<std::vector<std::string>, ChannelPtr> channels_;  ///< by what tells them apart
  std::set<std::int64_t> opened_;
  std::set<std::int64_t> changed_;
  std::set<std::int64_t> unreadable_;
  std::vector<Error> failed_;
  /// Those that were opened last, since a join reads them again and again.
  std::vector<std::pair<std::int64_t, BagPtr>> recent_;
};

}  // namespace kitbag::sql
