#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/command_line/options.h"
#include "cli/command_line/verb.h"
#include "cli/verbs.h"
#include "kitbag/text.h"

// Actions are one verb, since they share the catalog, and options are declared for all of them. An
// option of another action would have no effect, so check() refuses it: somebody who adds
// --checksums to `list` would believe that it has compared them.

namespace kitbag::cli {
namespace {

constexpr VerbText kCatalogText{
    .summary = "Keep an index of many bags, so that `find` answers without opening them.",
    .more =
        R"(CATALOG is a file, or postgresql://... for many machines. ACTION is one of
  init    make a catalog
  add     add bags
  scan    add all bags below folders
  watch   scan until it is stopped
  list    print bags
  set     give bags tags, a note or an event
  check   print bags that are gone or have changed
  picture save a small picture of a camera
  jobs    print the jobs of `kitbag batch --catalog`; for one job, the bags that have failed
  remove  remove bags from the catalog)",
    .examples = R"(  kitbag catalog init fleet.db
  kitbag catalog scan fleet.db /data --tag robot=r7
  kitbag catalog set fleet.db drive.bag --note 'the wheel slips' --tag site=hall)",
    .notes = "The tables are described in docs/catalog.md."};

CatalogEvent parse_event(const std::vector<std::string>& words) {
  Time time = parse_absolute_time(words.front());
  return {.start = time, .end = time, .name = words.back()};
}

using Action = CatalogArguments::Action;

constexpr std::pair<std::string_view, Action> kActions[] = {
    {"init", Action::init},    {"add", Action::add},         {"scan", Action::scan},
    {"watch", Action::watch},  {"list", Action::list},       {"set", Action::set},
    {"check", Action::check},  {"picture", Action::picture}, {"jobs", Action::jobs},
    {"remove", Action::remove}};

std::vector<std::string> action_names() {
  std::vector<std::string> names;
  for (const auto& each : kActions) names.emplace_back(each.first);
  return names;
}

Action parse_action(const std::string& text) {
  for (const auto& [name, action] : kActions) {
    if (name == text) return action;
  }
  std::vector<std::string> known = action_names();
  auto similar = nearest_texts(text, known, 3);
  throw_invalid(fmt::format("unknown action \"{}\"; {}: {}", text,
                            similar.empty() ? "there are" : "similar",
                            fmt::join(similar.empty() ? known : similar, ", ")));
}

void check_picture(const CatalogArguments& arguments) {
  bool is_picture = arguments.action == CatalogArguments::Action::picture;
  bool has_options = !arguments.topic.empty() || arguments.at || !arguments.output.empty() ||
                     arguments.may_replace;
  if (!is_picture && has_options) {
    throw_invalid("--topic, --at, --output and --force are for picture");
  }
  if (is_picture && arguments.paths.size() != 1) throw_invalid("picture is of one bag");
  if (is_picture && arguments.output.empty()) throw_invalid("picture needs --output FILE");
  std::string ending = std::filesystem::path(arguments.output).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (is_picture && !ending.empty() && ending != ".jpg" && ending != ".jpeg") {
    throw_invalid(
        fmt::format("--output: the pictures of a catalog are JPEG; end the name with "
                    ".jpg, not {}",
                    ending));
  }
}

/// What an action needs, so that one that lacks it, or has too much, is refused.
void check(const CatalogArguments& arguments) {
  bool is_jobs = arguments.action == Action::jobs;
  bool takes_paths = arguments.action != Action::init && arguments.action != Action::list &&
                     arguments.action != Action::check;
  if (is_jobs && arguments.paths.size() > 1) throw_invalid("jobs takes the name of one job");
  if (takes_paths && !is_jobs && arguments.paths.empty()) {
    throw_invalid("name the bags, or for scan and watch the folders");
  }
  if (!takes_paths && !arguments.paths.empty()) {
    throw_invalid(fmt::format("unexpected argument \"{}\"", arguments.paths.front()));
  }
  bool is_set = arguments.action == Action::set;
  bool is_adding = arguments.action == Action::add || arguments.action == Action::scan ||
                   arguments.action == Action::watch;
  if (is_set && arguments.tags.empty() && !arguments.note && !arguments.event) {
    throw_invalid("set needs --tag, --note or --event");
  }
  if (!is_set && (arguments.note || arguments.event)) {
    throw_invalid("--note and --event are for set");
  }
  if (!is_set && !is_adding && arguments.action != Action::list && !arguments.tags.empty()) {
    throw_invalid("--tag is for add, scan, watch, set and list");
  }
  if (arguments.forgets_missing && arguments.action != Action::check) {
    throw_invalid("--forget-missing is for check");
  }
  if (arguments.reads_index_only && !is_adding) {
    throw_invalid("--index-only is for add, scan and watch");
  }
  if (arguments.has_checksums && !is_adding && arguments.action != Action::check) {
    throw_invalid("--checksums is for add, scan, watch and check");
  }
  bool is_filtered = arguments.only_damaged || arguments.only_with_drops;
  if (is_filtered && arguments.action != Action::list) {
    throw_invalid("--damaged and --dropped are for list");
  }
  check_picture(arguments);
}

}  // namespace

void add_catalog(CommandLine& line) {
  auto arguments = std::make_shared<CatalogArguments>();
  auto event = std::make_shared<std::vector<std::string>>();
  auto action = std::make_shared<std::string>();
  Verb& verb = line.add_verb("catalog", kReadingVerbs, kCatalogText, arguments, catalog,
                             [arguments, event, action] {
                               arguments->action = parse_action(*action);
                               if (!event->empty()) arguments->event = parse_event(*event);
                               check(*arguments);
                             });
  add_text(verb, "ACTION", *action, "ACTION", "What to do")->required();
  verb.offer("ACTION", [](const Session&) { return action_names(); });
  add_text(verb, "CATALOG", arguments->address, "CATALOG",
           "The catalog: a file, or postgresql://...")
      ->required();
  add_list(verb, "PATH", arguments->paths, "[PATH...]",
           "Bags; for scan and watch, folders; for jobs, the name of a job");
  verb.common(add_tags(verb, arguments->tags,
                       "Set this tag of the bags, or print bags that have it (list); with set, an "
                       "empty VALUE removes it"));
  verb.common(add_parsed(
      verb, "--note", arguments->note,
      [](std::string text) { return std::optional(std::move(text)); }, "TEXT",
      "Set the note of the bags, replacing the old one (set)"));
  verb.common(add_list(verb, "--event", *event, "EVENT...",
                       "Set an event (set): its time, such as 2026-11-20T14:00:00Z, and its name")
                  ->expected(2));
  verb.common(add_text(verb, "--text", arguments->text, "TEXT",
                       "Print bags with TEXT in a path, a tag, a note or an event (list)"));
  verb.common(verb.add_flag("--json", arguments->as_json,
                            "Print a JSON object for each bag or job, on a line of its own"));
  verb.add_flag(
      "--index-only", arguments->reads_index_only,
      "Read no messages: adding is faster, `find --where` has to open the bags, and there are no "
      "pictures");
  verb.add_flag(
      "--checksums", arguments->has_checksums,
      "Read all bytes: keep a SHA-256 of each file (add, scan, watch), or compare (check)");
  verb.add_flag("--damaged", arguments->only_damaged, "Print bags with damage (list)");
  verb.add_flag("--dropped", arguments->only_with_drops,
                "Print bags whose recorder dropped or lost messages (list)");
  add_text(verb, "--topic", arguments->topic, "TOPIC",
           "Write a picture of this camera (picture). Default: the first by name");
  add_parsed(
      verb, "--at", arguments->at,
      [](const std::string& text) { return std::optional(parse_absolute_time(text)); }, "TIME",
      "Write the last picture at or before this time, or else the first one (picture)");
  add_text(verb, "-o,--output", arguments->output, "FILE", "Write the JPEG here (picture)");
  verb.add_flag("--force", arguments->may_replace, "Replace FILE (picture)");
  add_parsed(verb, "--every", arguments->period, parse_positive_duration, "DURATION",
             "Wait this long between two scans (watch). Default: 10s");
  verb.add_flag("--forget-missing", arguments->forgets_missing,
                "Delete paths from the catalog where there is no bag anymore (check)");
  add_reading(verb, arguments->reading);
}

}  // namespace kitbag::cli
