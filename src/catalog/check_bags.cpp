#include "catalog/check_bags.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "catalog/bag_rows.h"
#include "catalog/checksums.h"
#include "catalog/file_state.h"
#include "kitbag/error.h"

namespace kitbag::catalog {
namespace {

/// The first file of the bag that is not as its checksum says; "": all are.
std::string first_difference(const std::vector<CatalogChecksum>& known,
                             const std::vector<CatalogChecksum>& now) {
  for (std::size_t i = 0; i < std::min(known.size(), now.size()); ++i) {
    bool is_same = known[i].size_bytes == now[i].size_bytes && known[i].sha256 == now[i].sha256;
    if (!is_same) return now[i].file;
  }
  if (known.size() < now.size()) return now[known.size()].file;
  return known.size() > now.size() ? known[now.size()].file : std::string();
}

class Checking {
 public:
  Checking(const Session& session, const CatalogCheckOptions& options)
      : session_(session), options_(options) {}

  /// Says in `problem` what is wrong at its path, if anything is.
  void look_at(const KnownFile& known, const std::vector<CatalogChecksum>& sums,
               CatalogProblem& problem) const {
    auto now = state_of(problem.path, session_);
    if (!now) {
      problem.what = "is not there any more";
      problem.is_missing = true;
      return;
    }
    // Other bytes with the same size and time come from a disk or a copy, and not from a recorder.
    bool looks_same = is_as_known(known, *now);
    if (!sums.empty()) return compare(sums, looks_same, problem);
    if (!looks_same) problem.what = "has changed since it was added";
  }

 private:
  void compare(const std::vector<CatalogChecksum>& known, bool looks_same,
               CatalogProblem& problem) const {
    auto now = checksums_of(problem.path, session_, options_.stop);
    std::string different = first_difference(known, now);
    if (different.empty()) return;
    problem.is_damaged = looks_same;
    problem.what =
        looks_same ? fmt::format(
                         "is damaged: {} has other bytes than the checksum was "
                         "made of, but the same size and time",
                         different)
                   : fmt::format("has changed since it was added: {} has other bytes", different);
  }

  const Session& session_;
  const CatalogCheckOptions& options_;
};

}  // namespace

CatalogChecked check_bags(Database& database, const Session& session,
                          const std::function<void(const CatalogProblem& problem)>& on_problem,
                          const CatalogCheckOptions& options) {
  CatalogChecked checked;
  Checking checking(session, options);
  for (const SqlRow& row :
       database.run("SELECT path, bag, size_bytes, modified_ns FROM files ORDER BY path")) {
    if (options.stop.stop_requested()) throw Error(ErrorCode::cancelled, "interrupted");
    ++checked.paths;
    CatalogProblem problem{whole_in(row, 1), bytes_in(row, 0), {}};
    KnownFile known{problem.number, count_in(row, 2), whole_in(row, 3)};
    std::vector<CatalogChecksum> sums;
    if (options.reads_contents) {
      sums = checksums_of(database, known.bag);
      if (sums.empty()) ++checked.unverified;
    }
    try {
      checking.look_at(known, sums, problem);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::cancelled) throw;
      problem.what = "cannot be looked at: " + error.message();
    }
    if (!problem.what.empty()) on_problem(problem);
  }
  return checked;
}

}  // namespace kitbag::catalog
