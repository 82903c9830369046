#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kitbag/batch.h"
#include "kitbag/export.h"
#include "kitbag/session.h"
#include "kitbag/time.h"

// What a catalog (kitbag/catalog.h) knows of the jobs of batches (kitbag/batch.h): how far they
// are, and which bags have failed.

namespace kitbag {

/// A job, as a catalog knows it.
struct CatalogJob {
  std::string job;          ///< its folder
  std::string verb;         ///< what it does
  std::string target;       ///< the folder of its targets
  BatchCounts counts;       ///< `before` is not kept
  Time began{};             ///< its last run
  Time changed{};           ///< when this was noted
  bool is_at_work = false;  ///< false: its last run has ended; true: not, or it was killed
};

/// The jobs of a catalog. One thread at a time. Every call throws Error as Database::run() does.
class KITBAG_API CatalogJobs {
 public:
  /// Opens the catalog at `address`. Throws as Catalog's constructor.
  CatalogJobs(const std::string& address, const Session& session, const Wait& wait = {});
  ~CatalogJobs();
  CatalogJobs(const CatalogJobs&) = delete;
  CatalogJobs& operator=(const CatalogJobs&) = delete;

  /// Notes how a job stands, in place of what was noted of it. Of `bags`, those that have failed or
  /// are damaged are noted with their reasons; if one of the others was, it is forgotten.
  void put(const CatalogJob& job, const std::vector<BatchTask>& bags);
  /// Returns all jobs; what has changed last comes first.
  std::vector<CatalogJob> list();
  /// Returns the job of that name: its folder, or the last parts of its path, as "convert-1f" of
  /// "/out/.kitbag-batch/convert-1f". Throws Error: not_found; invalid if several jobs have it.
  CatalogJob find(const std::string& name);
  /// Returns the bags of a job that have failed or are damaged, sorted by source.
  std::vector<BatchTask> bad_bags(const std::string& job);

 private:
  class KITBAG_PRIVATE Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kitbag
