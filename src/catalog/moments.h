#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

#include "kitbag/catalog.h"
#include "kitbag/database.h"
#include "payload/condition_bounds.h"

namespace kitbag::catalog {

/// A path at which a bag of a catalog is.
struct Place {
  std::string path;
  bool has_changed = false;  ///< its file is not as it was when it was added
};

/// Returns where a bag is; a path where it is as it was comes first. Nothing: it is nowhere. Throws
/// as Database::run() and FileSystem::status() do.
std::optional<Place> place_of(Database& database, const Session& session, const CatalogBag& bag);

/// Opens a bag where it is. Throws Error as Catalog::open() does.
CatalogOpened open_bag(Database& database, const Session& session,
                       const DefinitionPaths& definitions, const CatalogBag& bag,
                       const ReadOptions& read);

/// What the catalog says of a condition and a bag.
struct Judgement {
  std::optional<CatalogTimes> times;  ///< when it may be met; nothing: never
  /// Channels that may meet it only because their numbers are not known.
  std::uint64_t unknown_channels = 0;
};

/// Judges a condition by what the catalog knows of the numbers of a bag. Throws as Database::run()
/// does, and Error (corrupt).
Judgement judge(Database& database, std::int64_t bag, const ConditionBounds& condition,
                const FindQuery& query);

/// Catalog::find_moments(), bag by bag.
class MomentSearch {
 public:
  /// What is passed must outlive it. Throws Error (invalid) for a condition that is not valid.
  MomentSearch(Database& database, const Session& session, const DefinitionPaths& definitions,
               const FindQuery& query, const ReadOptions& read, const std::stop_token& stop);

  /// Finds the moments of a bag, which is opened if the catalog cannot rule it out.
  void look_at(const CatalogBag& bag,
               const std::function<void(const CatalogBag& bag, const Moment& moment)>& on_moment);
  /// The bag could not be read.
  void add_failure(const Error& error) { search_.failed.push_back(error); }
  CatalogSearch result() const { return search_; }

 private:
  Database& database_;
  const Session& session_;
  const DefinitionPaths& definitions_;
  const FindQuery& query_;
  const ReadOptions& read_;
  std::stop_token stop_;
  ConditionBounds condition_;
  CatalogSearch search_;
};

}  // namespace kitbag::catalog
