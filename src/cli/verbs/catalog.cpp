#include "kitbag/catalog.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

#include "cli/options/batch_commands.h"
#include "cli/options/definitions.h"
#include "cli/options/inputs.h"
#include "cli/options/open_catalog.h"
#include "cli/terminal/json.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/signals.h"
#include "cli/verbs.h"
#include "kitbag/catalog_jobs.h"
#include "kitbag/damage.h"
#include "kitbag/database.h"
#include "kitbag/escape.h"
#include "kitbag/file.h"
#include "kitbag/text.h"

// Each action is a function. Those that look at bags report each bag by itself, a bag that cannot
// be read as well as one that is damaged, and go on; the exit code is that of the worst. What
// concerns the catalog itself, such as a database that does not answer, ends the command.

namespace kitbag::cli {
namespace {

using Action = CatalogArguments::Action;

/// What was done of many bags: a line for each that is new or changed, a warning for each that was
/// found damaged, and a sum.
class Tally {
 public:
  Tally(const CatalogArguments& arguments, const Context& context)
      : as_json_(arguments.as_json), is_strict_(arguments.reading.is_strict), out_(context.out) {}

  /// A problem of the bag that is looked at.
  void add_problem(const Error& problem) {
    if (is_strict_ && problem.code() != ErrorCode::remark) throw Error(problem);
    damage_.add(problem);
  }
  void take(const std::string& path, CatalogChange change) {
    ++counts_[change];
    if (as_json_) {
      out_.write(catalogued_json(path, to_string(change)) + "\n");
    } else if (change != CatalogChange::unchanged) {
      out_.line("{}: {}", path, to_string(change));
    }
    warn();
  }
  void take(const Error& error) {
    warn();
    out_.flush();
    print_error(error_text(error));
    ++failed_;
  }
  /// The sum, unless nothing has happened.
  void print_sum() {
    if (as_json_) return;
    std::vector<std::string> parts;
    for (const auto& [change, count] : counts_) {
      parts.push_back(fmt::format("{} {}", grouped(count), to_string(change)));
    }
    if (failed_ > 0) parts.push_back(fmt::format("{} failed", grouped(failed_)));
    out_.line("{}", parts.empty() ? "no bags" : fmt::format("{}", fmt::join(parts, ", ")));
  }
  int code() const { return failed_ > 0 ? kFailed : code_; }
  bool has_news() const {
    return failed_ > 0 || std::any_of(counts_.begin(), counts_.end(), [](const auto& each) {
             return each.first != CatalogChange::unchanged;
           });
  }

 private:
  void warn() {
    if (damage_.count() > 0) out_.flush();
    code_ = std::max(code_, warn_of(damage_));
    damage_ = Damage();
  }

  bool as_json_;
  bool is_strict_;
  Output& out_;
  Damage damage_;  ///< of one bag
  int code_ = kDone;
  std::map<CatalogChange, std::uint64_t> counts_;
  std::uint64_t failed_ = 0;
};

CatalogAddOptions add_options(const CatalogArguments& arguments, const Context& context,
                              Tally& tally) {
  CatalogAddOptions options;
  options.read =
      arguments.reading.with([&tally](const Error& problem) { tally.add_problem(problem); });
  options.reads_messages = !arguments.reads_index_only;
  options.makes_checksums = arguments.has_checksums;
  options.tags = arguments.tags;
  options.stop = context.stop;
  return options;
}

void scan_once(Catalog& catalog, const CatalogArguments& arguments, const Context& context,
               Tally& tally) {
  CatalogAddOptions options = add_options(arguments, context, tally);
  for (const std::string& folder : arguments.paths) {
    catalog.scan(folder, options,
                 [&](const std::string& path, const CatalogChange* change, const Error* error) {
                   change ? tally.take(path, *change) : tally.take(*error);
                   context.out.flush();
                 });
  }
}

int add(Catalog& catalog, const CatalogArguments& arguments, const Context& context) {
  Tally tally(arguments, context);
  CatalogAddOptions options = add_options(arguments, context, tally);
  for (const std::string& path : arguments.paths) {
    require_not_stopped(context.stop);
    try {
      tally.take(path, catalog.add(path, options));
    } catch (const Error& error) {
      if (error.code() == ErrorCode::cancelled) throw;
      // An error of the catalog, which every further bag would meet too.
      if (error.file() == without_password(arguments.address)) throw;
      tally.take(error);
    }
  }
  tally.print_sum();
  return tally.code();
}

int scan(Catalog& catalog, const CatalogArguments& arguments, const Context& context) {
  Tally tally(arguments, context);
  scan_once(catalog, arguments, context, tally);
  tally.print_sum();
  return tally.code();
}

int watch(Catalog& catalog, const CatalogArguments& arguments, const Context& context) {
  int code = kDone;
  while (!context.stop.stop_requested()) {
    Tally tally(arguments, context);
    try {
      scan_once(catalog, arguments, context, tally);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::cancelled) throw;
      break;
    }
    if (tally.has_news()) tally.print_sum();
    code = std::max(code, tally.code());
    context.out.flush();
    context.clock.sleep({context.stop, context.clock.steady() + arguments.period});
  }
  return code;
}

void print_bag(const CatalogBag& bag, Output& out) {
  std::string where = bag.paths.empty() ? "(no longer anywhere)" : bag.paths.front();
  std::string what =
      bag.messages == 0
          ? "empty"
          : fmt::format("{}, {}, {}, {}", format_time(bag.start),
                        format_duration(saturating_difference(bag.start, bag.end)),
                        counted(bag.messages, "message"), counted(bag.topics.size(), "topic"));
  out.line("{}: {}, {}", where, what, format_size(bag.size_bytes));
  for (std::size_t i = 1; i < bag.paths.size(); ++i) out.line("  also at {}", bag.paths[i]);
  std::vector<std::string> tags;
  for (const auto& [name, value] : bag.tags) tags.push_back(name + "=" + value);
  if (!tags.empty()) out.line("  tags: {}", fmt::join(tags, ", "));
  if (!bag.note.empty()) out.line("  note: {}", bag.note);
  for (const CatalogEvent& event : bag.events) {
    out.line("  event {}: {} {}", event.number, format_time(event.start), event.name);
  }
  for (const CatalogDrops& drops : bag.drops) {
    out.line("  missing of {}: {} dropped, {} lost", drops.topic, grouped(drops.dropped),
             grouped(drops.lost));
  }
  if (bag.problems > 1) {
    out.line("  damage: {} (and {})", bag.damage, counted(bag.problems - 1, "more problem"));
  } else if (!bag.damage.empty()) {
    out.line("  damage: {}", bag.damage);
  }
}

int list(Catalog& catalog, const CatalogArguments& arguments, const Context& context) {
  CatalogQuery query{.tags = arguments.tags,
                     .text = arguments.text,
                     .is_damaged = arguments.only_damaged,
                     .has_drops = arguments.only_with_drops};
  catalog.find(query, [&](const CatalogBag& bag) {
    require_not_stopped(context.stop);
    if (arguments.as_json) {
      context.out.write(catalog_json(bag) + "\n");
    } else {
      print_bag(bag, context.out);
    }
  });
  return kDone;
}

int set(Catalog& catalog, const CatalogArguments& arguments) {
  for (const std::string& path : arguments.paths) {
    for (const auto& [name, value] : arguments.tags) catalog.set_tag(path, name, value);
    if (arguments.note) catalog.set_note(path, *arguments.note);
    if (arguments.event) catalog.add_event(path, *arguments.event);
  }
  return kDone;
}

int check(Catalog& catalog, const CatalogArguments& arguments, const Context& context) {
  // Forgotten after the check, which goes through the same rows.
  std::vector<std::string> missing;
  std::uint64_t problems = 0;
  std::uint64_t damaged = 0;
  CatalogChecked checked = catalog.check(
      [&](const CatalogProblem& problem) {
        ++problems;
        if (problem.is_missing) missing.push_back(problem.path);
        if (problem.is_damaged) ++damaged;
        if (arguments.as_json) {
          context.out.write(catalogued_json(problem.path, problem.what) + "\n");
        } else {
          context.out.line("{}: {}", problem.path, problem.what);
        }
      },
      {arguments.has_checksums, context.stop});
  std::uint64_t others = problems - missing.size() - damaged;
  if (arguments.forgets_missing) {
    for (const std::string& path : missing) catalog.remove(path);
    problems -= missing.size();
  }
  if (!arguments.as_json) {
    std::string text =
        fmt::format("{}: {} missing{}, {} changed or unreadable", counted(checked.paths, "path"),
                    missing.size(), arguments.forgets_missing ? " and forgotten" : "", others);
    if (arguments.has_checksums) text += fmt::format(", {} damaged", damaged);
    context.out.line("{}", text);
  }
  if (checked.unverified > 0) {
    context.out.flush();
    print_note(
        fmt::format("{} without checksums: only size and time were compared; scan with "
                    "--checksums makes them",
                    counted(checked.unverified, "path")));
  }
  return problems > 0 ? kNotSo : kDone;
}

int save_picture(Catalog& catalog, const CatalogArguments& arguments, const Context& context) {
  const std::string& path = arguments.paths.front();
  auto bag = catalog.bag_at(path);
  if (!bag) throw Error(ErrorCode::not_found, "the catalog does not know this bag", path);
  auto picture = catalog.picture(bag->number, arguments.topic, arguments.at.value_or(Time::min()));
  if (!picture) {
    throw Error(ErrorCode::not_found,
                "the catalog has no picture of " +
                    (arguments.topic.empty() ? "this bag" : escaped(arguments.topic)),
                path);
  }
  save_file(*memory_file(picture->jpeg), arguments.output, arguments.may_replace);
  if (arguments.output == "-") return kDone;
  context.out.line("{}: {} at {}, {}", arguments.output, picture->topic, format_time(picture->time),
                   format_size(picture->jpeg.size()));
  return kDone;
}

void print_job(const CatalogJob& job, Output& out) {
  const BatchCounts& counts = job.counts;
  out.line("{}: {} to {}, {}", job.job, job.verb, job.target, job.is_at_work ? "at work" : "ended");
  std::string sum = fmt::format("{}: {} done", counted(counts.all, "bag"), grouped(counts.done));
  if (counts.damaged > 0) sum += fmt::format(", {} damaged", grouped(counts.damaged));
  if (counts.failed > 0) sum += fmt::format(", {} failed", grouped(counts.failed));
  if (counts.waiting() > 0) sum += fmt::format(", {} left", grouped(counts.waiting()));
  out.line("  {}", sum);
  out.line("  begun {}, last change {}", format_time(job.began), format_time(job.changed));
}

/// All jobs; of one that is named, also the bags that have failed.
int list_jobs(const CatalogArguments& arguments, const Context& context) {
  auto catalog = open_catalog<CatalogJobs>(arguments.address, context);
  if (arguments.paths.empty()) {
    for (const CatalogJob& job : catalog.list()) {
      if (arguments.as_json) {
        context.out.write(catalog_job_json(job) + "\n");
      } else {
        print_job(job, context.out);
      }
    }
    return kDone;
  }
  CatalogJob job = catalog.find(arguments.paths.front());
  if (!arguments.as_json) print_job(job, context.out);
  for (const BatchTask& bag : catalog.bad_bags(job.job)) {
    if (arguments.as_json) {
      context.out.write(catalog_job_bag_json(bag) + "\n");
    } else {
      context.out.line("  {}: {}", to_string(bag.state), batch_task_text(bag));
    }
  }
  return kDone;
}

int remove(Catalog& catalog, const CatalogArguments& arguments) {
  int code = kDone;
  for (const std::string& path : arguments.paths) {
    if (catalog.remove(path)) continue;
    print_error(fmt::format("{}: the catalog does not know this bag", path));
    code = kFailed;
  }
  return code;
}

}  // namespace

int catalog(const CatalogArguments& arguments, const Context& context) {
  if (arguments.action == Action::init) {
    static_cast<void>(Catalog::create(arguments.address, context.session, {context.stop, kNever}));
    return kDone;
  }
  if (arguments.action == Action::jobs) return list_jobs(arguments, context);
  Catalog catalog = open_catalog(arguments.address, context);
  catalog.set_definitions(Definitions({}, context.session).paths());
  switch (arguments.action) {
    case Action::add:
      return add(catalog, arguments, context);
    case Action::scan:
      return scan(catalog, arguments, context);
    case Action::watch:
      return watch(catalog, arguments, context);
    case Action::set:
      return set(catalog, arguments);
    case Action::check:
      return check(catalog, arguments, context);
    case Action::picture:
      return save_picture(catalog, arguments, context);
    case Action::remove:
      return remove(catalog, arguments);
    default:
      return list(catalog, arguments, context);
  }
}

}  // namespace kitbag::cli
