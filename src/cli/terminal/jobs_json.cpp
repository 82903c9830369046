#include <fmt/format.h>

#include "cli/terminal/json.h"
#include "kitbag/escape.h"

namespace kitbag::cli {
namespace {

/// `knows_was_there`: it is known whether the target was there.
std::string task_json(const BatchTask& task, bool knows_was_there) {
  std::string json =
      fmt::format(R"({{"source":{},"target":{},"state":"{}")", json_quoted(shown_path(task.source)),
                  json_quoted(task.target), to_string(task.state));
  if (knows_was_there) json += fmt::format(R"(,"was_there":{})", task.was_there);
  if (!task.reason.empty()) json += fmt::format(R"(,"reason":{})", json_quoted(task.reason));
  return json + "}";
}

}  // namespace

std::string batch_task_json(const BatchTask& task) {
  return task_json(task, true);
}

std::string catalog_job_bag_json(const BatchTask& task) {
  return task_json(task, false);
}

std::string catalog_job_json(const CatalogJob& job) {
  const BatchCounts& counts = job.counts;
  return fmt::format(
      R"({{"job":{},"verb":{},"target":{},"state":"{}","bags":{},"done":{},"damaged":{},)"
      R"("failed":{},"left":{},"began_ns":{},"changed_ns":{}}})",
      json_quoted(job.job), json_quoted(job.verb), json_quoted(job.target),
      job.is_at_work ? "at work" : "ended", counts.all, counts.done, counts.damaged, counts.failed,
      counts.waiting(), to_ns(job.began), to_ns(job.changed));
}

}  // namespace kitbag::cli
