#include "kitbag/repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "cli/options/definitions.h"
#include "cli/options/inputs.h"
#include "cli/options/jobs.h"
#include "cli/options/many_bags.h"
#include "cli/options/select.h"
#include "cli/options/target.h"
#include "cli/terminal/json.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/progress.h"
#include "cli/verbs.h"
#include "kitbag/file_system.h"
#include "kitbag/text.h"

// `repair`, `recover` and `reindex` differ by where the new bag goes:
//
//   repair IN OUT         OUT; IN is not changed
//   repair IN --in-place  IN, in one step; no original is kept
//   reindex IN            IN; the original is kept as x.orig.bag
//
// The report is the result as much as the bag is, and the exit code says whether messages are lost.

namespace kitbag::cli {
namespace {

/// "31 messages", "at least 31 messages", "an unknown number of messages"
std::string lost_messages(const Damage& damage) {
  if (damage.is_exact()) return counted(damage.lost_messages(), "message");
  if (damage.lost_messages() == 0) return "an unknown number of messages";
  return fmt::format("at least {}", counted(damage.lost_messages(), "message"));
}

/// "3 places of damage; lost: 31 messages at 2 places, 7,135 bytes, 812ms"
std::string verdict(const Repaired& repaired) {
  const Damage& damage = repaired.damage;
  if (!repaired.is_written) return "sound; not changed";
  std::string text =
      damage.count() == 0 ? "no damage" : counted(damage.count(), "place") + " of damage";
  if (damage.losses() == 0 && damage.differences() > 0) {
    return text + "; no loss is known, but the index promised other messages";
  }
  if (damage.losses() == 0) return text + "; nothing is lost";
  text += fmt::format("; lost: {} at {}", lost_messages(damage), counted(damage.losses(), "place"));
  if (damage.lost_bytes() > 0) text += ", " + counted(damage.lost_bytes(), "byte");
  if (damage.lost_time() > Duration::zero()) text += ", " + format_duration(damage.lost_time());
  return text;
}

void print_report(const std::string& from, const std::string& to, const Repaired& repaired,
                  Duration taken, const Context& context) {
  if (repaired.is_written) {
    context.out.line("{}: {}, {:.2f} s", to, describe(repaired.totals, repaired.channels),
                     std::chrono::duration<double>(taken).count());
  }
  context.out.line("{}: {}", from, verdict(repaired));
}

/// The jobs of --in-place, which takes what repair() can replace: directories too.
std::vector<Job> jobs_in_place(const RepairArguments& arguments, const Context& context) {
  std::vector<Job> jobs;
  for (NamedBag& bag : named_bags(arguments.inputs, arguments.output.is_recursive, context)) {
    std::string place = context.session.path_of(bag.path);
    if (bag.path != "-" && !context.session.file_system(place)->status(place)) {
      throw Error(ErrorCode::not_found, "no such file; --in-place takes no OUT", bag.path);
    }
    Job& job = jobs.emplace_back();
    job.inputs = {bag.path};
    job.target.path = std::move(bag.path);
    job.target.is_in_place = true;
  }
  return jobs;
}

/// Throws Error (unsupported) for a directory, which keeps no original beside it.
void require_one_file(const std::string& bag, const Session& session) {
  std::string place = session.path_of(bag);
  auto there = session.file_system(place)->status(place);
  if (!there || !there->is_folder) return;
  throw Error(ErrorCode::unsupported,
              "the original of a directory cannot be kept; use repair --in-place, which keeps none",
              bag);
}

int repair_one(const RepairArguments& arguments, const Job& job, bool are_many,
               const Context& context) {
  SteadyTime start = context.clock.steady();
  const std::string& from = job.inputs.front();
  const std::string& to = job.target.path;
  bool as_json = arguments.output.as_json;
  check_target(job.target, arguments.inputs, context.session);
  // In place by default (`reindex`) the original stays; --in-place asks for a bag without one.
  bool keeps_original = job.target.is_in_place && !arguments.in_place;
  if (keeps_original) require_one_file(from, context.session);
  Definitions definitions(arguments.definitions, context.session);
  std::vector<Error> left_out;

  RepairOptions options;
  options.write = job.target.write;
  options.keeps_original = keeps_original;
  if (!arguments.write.compression.empty()) options.compression = arguments.write.compression;
  options.read = arguments.reading.with({});
  options.write.on_warning = [&](const Error& warning) { left_out.push_back(warning); };
  options.on_problem = [&](const Error& problem) {
    if (!as_json) context.out.line("{}", problem_text(problem));
  };
  options.through = [&](std::unique_ptr<Source> source, const Bag& bag) {
    return watched(definitions.supply(std::move(source)), bag.summary().messages, context);
  };
  Repaired repaired = kitbag::repair(from, to, options, context.session, context.stop);

  if (as_json) {
    std::string report = repair_json(from, to, repaired);
    context.out.write((are_many ? on_one_line(report) : report) + "\n");
  } else {
    print_report(from, to, repaired, context.clock.steady() - start, context);
  }
  print_warnings_of_files(left_out);
  definitions.warn(are_many ? from + ": " : "");
  return repaired.damage.is_costly() ? kNotSo : kDone;
}

}  // namespace

int repair(const RepairArguments& arguments, const Context& context) {
  // The bag is the result: nobody reading the report is no reason to end. As JSON it was asked for.
  if (!arguments.output.as_json) context.out.make_status();
  TargetOptions target;
  target.write = arguments.write;
  std::vector<Job> jobs = arguments.in_place
                              ? jobs_in_place(arguments, context)
                              : plan_jobs(arguments.output, arguments.inputs, target, context);
  bool are_many = jobs.size() > 1;
  // for_each_bag() knows paths, and a job has its target as well.
  std::map<std::string, const Job*> by_input;
  std::vector<std::string> inputs;
  for (const Job& job : jobs) {
    inputs.push_back(job.inputs.front());
    by_input[job.inputs.front()] = &job;
  }
  return for_each_bag(inputs, context, [&](const std::string& path) {
    return repair_one(arguments, *by_input.at(path), are_many, context);
  });
}

}  // namespace kitbag::cli
