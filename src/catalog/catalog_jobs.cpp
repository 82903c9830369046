#include "kitbag/catalog_jobs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/path.h"
#include "catalog/bag_rows.h"
#include "catalog/schema.h"
#include "catalog/stored_text.h"
#include "kitbag/database.h"
#include "kitbag/error.h"

// A job is one row of numbers, with a row for each bad bag; bags that went well are only counted.
// put() rewrites the row of the job and the rows of the bags that it is given. So a bag that failed
// and went well in a later run is no longer listed.

namespace kitbag {

using catalog::bytes_in;
using catalog::count_in;
using catalog::stored_text;
using catalog::whole_in;

namespace {

SqlValue count_of(std::uint64_t number) {
  return static_cast<std::int64_t>(number);
}

bool is_bad(BatchState state) {
  return state == BatchState::failed || state == BatchState::damaged;
}

}  // namespace

class CatalogJobs::Impl {
 public:
  Impl(const std::string& address, const Session& session, const Wait& wait)
      : database_(connect(address, {.wait = wait}, session)) {
    catalog::update_schema(*database_, without_password(address));
  }

  Database& database() { return *database_; }

 private:
  std::unique_ptr<Database> database_;
};

CatalogJobs::CatalogJobs(const std::string& address, const Session& session, const Wait& wait)
    : impl_(std::make_unique<Impl>(address, session, wait)) {}

CatalogJobs::~CatalogJobs() = default;

void CatalogJobs::put(const CatalogJob& job, const std::vector<BatchTask>& bags) {
  Database& database = impl_->database();
  SqlTransaction transaction(database);
  std::string name = stored_text(job.job);
  database.run(
      "INSERT INTO jobs (job, verb, target, bags, done, damaged, failed, began_ns, changed_ns, "
      "is_at_work) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) "
      "ON CONFLICT (job) DO UPDATE SET verb = excluded.verb, target = excluded.target, "
      "bags = excluded.bags, done = excluded.done, damaged = excluded.damaged, "
      "failed = excluded.failed, began_ns = excluded.began_ns, changed_ns = excluded.changed_ns, "
      "is_at_work = excluded.is_at_work",
      {name, job.verb, stored_text(job.target), count_of(job.counts.all), count_of(job.counts.done),
       count_of(job.counts.damaged), count_of(job.counts.failed), to_ns(job.began),
       to_ns(job.changed), std::int64_t{job.is_at_work ? 1 : 0}});
  for (const BatchTask& bag : bags) {
    std::string source = stored_text(bag.source);
    database.run("DELETE FROM job_bags WHERE job = $1 AND source = $2", {name, source});
    if (!is_bad(bag.state)) continue;
    database.run(
        "INSERT INTO job_bags (job, source, target, state, reason) VALUES ($1, $2, $3, $4, $5)",
        {name, source, stored_text(bag.target), std::string(to_string(bag.state)),
         stored_text(bag.reason)});
  }
  transaction.commit();
}

std::vector<CatalogJob> CatalogJobs::list() {
  std::vector<CatalogJob> jobs;
  for (const SqlRow& row : impl_->database().run(
           "SELECT job, verb, target, bags, done, damaged, failed, began_ns, changed_ns, "
           "is_at_work FROM jobs ORDER BY changed_ns DESC, job")) {
    jobs.push_back({.job = bytes_in(row, 0),
                    .verb = bytes_in(row, 1),
                    .target = bytes_in(row, 2),
                    .counts = {.all = count_in(row, 3),
                               .done = count_in(row, 4),
                               .damaged = count_in(row, 5),
                               .failed = count_in(row, 6)},
                    .began = from_ns(whole_in(row, 7)),
                    .changed = from_ns(whole_in(row, 8)),
                    .is_at_work = whole_in(row, 9) != 0});
  }
  return jobs;
}

CatalogJob CatalogJobs::find(const std::string& name) {
  std::string wanted = without_slash(name);
  std::vector<CatalogJob> jobs = list();
  auto same = std::ranges::find(jobs, wanted, &CatalogJob::job);
  if (same != jobs.end()) return *same;
  // The name of a job is the path of its folder, of which the last part will do.
  std::erase_if(jobs, [&](const CatalogJob& each) { return !each.job.ends_with("/" + wanted); });
  if (wanted.empty() || jobs.empty()) {
    throw Error(ErrorCode::not_found, "the catalog does not know this job", name);
  }
  if (jobs.size() > 1) {
    throw Error(ErrorCode::invalid,
                fmt::format("is the name of {} jobs, such as {} and {}; name the folder of one",
                            jobs.size(), jobs[0].job, jobs[1].job),
                name);
  }
  return jobs.front();
}

std::vector<BatchTask> CatalogJobs::bad_bags(const std::string& job) {
  std::vector<BatchTask> bags;
  for (const SqlRow& row : impl_->database().run(
           "SELECT source, target, state, reason FROM job_bags WHERE job = $1 ORDER BY source",
           {stored_text(job)})) {
    bool is_damaged = bytes_in(row, 2) == to_string(BatchState::damaged);
    bags.push_back({.source = bytes_in(row, 0),
                    .target = bytes_in(row, 1),
                    .state = is_damaged ? BatchState::damaged : BatchState::failed,
                    .reason = bytes_in(row, 3)});
  }
  return bags;
}

}  // namespace kitbag
