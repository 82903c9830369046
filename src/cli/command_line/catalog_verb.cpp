#include "cli/command_line/options.h"
#include "cli/command_line/verb.h"
#include "cli/verbs.h"
#include "kitbag/text.h"

namespace kitbag::cli {
namespace {

constexpr VerbText kCatalogText{
    .summary = "Keep what is known of many bags, so that `find` answers without opening them.",
    .more =
        R"(CATALOG is a file, or postgresql://... for many machines. Actions: init makes a catalog; add
takes bags; scan takes folders; watch scans until it is stopped; list prints bags; set gives bags
tags, a note or an event; check names bags that are gone or have changed; remove forgets bags.)",
    .examples = R"(  kitbag catalog init fleet.db
  kitbag catalog scan fleet.db /data --tag robot=r7
  kitbag find --catalog fleet.db --topics '/camera/*' --longer-than 1m --tag robot=r7)",
    .notes = "The tables are described in docs/catalog.md."};

CatalogEvent parse_event(const std::vector<std::string>& words) {
  Time time = parse_absolute_time(words.front());
  return {.start = time, .end = time, .name = words.back()};
}

/// What an action needs, so that one that lacks it, or has too much, is refused.
void check(const CatalogArguments& arguments) {
  using Action = CatalogArguments::Action;
  bool takes_paths = arguments.action != Action::init && arguments.action != Action::list &&
                     arguments.action != Action::check;
  if (takes_paths && arguments.paths.empty()) {
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
}

}  // namespace

void add_catalog(CommandLine& line) {
  using Action = CatalogArguments::Action;
  auto arguments = std::make_shared<CatalogArguments>();
  auto event = std::make_shared<std::vector<std::string>>();
  Verb& verb =
      line.add_verb("catalog", kReadingVerbs, kCatalogText, arguments, catalog, [arguments, event] {
        if (!event->empty()) arguments->event = parse_event(*event);
        check(*arguments);
      });
  add_choice(verb, "ACTION", arguments->action,
             {{"init", Action::init},
              {"add", Action::add},
              {"scan", Action::scan},
              {"watch", Action::watch},
              {"list", Action::list},
              {"set", Action::set},
              {"check", Action::check},
              {"remove", Action::remove}},
             "What to do")
      ->required();
  add_text(verb, "CATALOG", arguments->address, "CATALOG",
           "The catalog: a file, or postgresql://...")
      ->required();
  add_list(verb, "PATH", arguments->paths, "[PATH...]", "Bags; for scan and watch, folders");
  verb.common(add_tags(verb, arguments->tags,
                       "Give the bags this tag; with list, print bags that have it; with set, an "
                       "empty VALUE removes it"));
  verb.common(add_parsed(
      verb, "--note", arguments->note,
      [](std::string text) { return std::optional(std::move(text)); }, "TEXT",
      "With set: note this of the bags, in place of what was noted"));
  verb.common(add_list(verb, "--event", *event, "TIME NAME",
                       "With set: note an event at TIME, as in 2026-11-20T14:00:00Z")
                  ->expected(2));
  verb.common(add_text(verb, "--text", arguments->text, "TEXT",
                       "With list: print bags with TEXT in a path, a tag, a note or an event"));
  verb.common(verb.add_flag("--json", arguments->as_json,
                            "Print a JSON object for each bag, on a line of its own"));
  verb.add_flag("--index-only", arguments->reads_index_only,
                "Do not read messages: adding is faster, and `find --where` has to open the bags");
  add_parsed(verb, "--every", arguments->period, parse_positive_duration, "DURATION",
             "With watch: scan this often. Default: 10s");
  verb.add_flag("--forget-missing", arguments->forgets_missing,
                "With check: remove paths at which no bag is any more");
  add_reading(verb, arguments->reading);
}

}  // namespace kitbag::cli
