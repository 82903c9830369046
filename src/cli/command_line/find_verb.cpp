#include "cli/command_line/options.h"
#include "cli/command_line/verb.h"
#include "cli/verbs.h"

namespace kitbag::cli {
namespace {

constexpr VerbText kFindText{
    .summary = "Find bags in folders by their content, and the moments when something happened.",
    .more =
        R"(Without --where, prints a line for each bag; with it, one for each moment: a run of
consecutive messages of one topic that meet the condition. --cut writes a bag (MCAP) around each
moment, and --events keeps them in the catalog; what is already there stays.)",
    .examples = R"(  kitbag find /data --topics /imu '/camera/*' --longer-than 1m
  kitbag find --catalog fleet.db --topics /battery --where 'voltage < 25' --events low
  kitbag find /data --where 'voltage < 25' --cut 5s --to s3://bags/low)"};

/// Absolute times only: relative ones would be other times for each bag.
void take_times(const std::vector<std::string>& times, FindQuery& query) {
  if (times.empty()) return;
  query.begin = parse_absolute_time(times.front());
  query.end = parse_absolute_time(times.back());
  if (query.begin >= query.end) throw_invalid("--between: the time range is empty");
}

/// Options that need others.
void check(const FindArguments& arguments) {
  const MomentOptions& moments = arguments.moments;
  bool has_condition = !arguments.query.where.empty();
  if (!moments.events.empty() && (arguments.catalog.empty() || !has_condition)) {
    throw_invalid("--events needs --catalog and --where");
  }
  if (moments.cut && !has_condition) throw_invalid("--cut needs --where");
  if (moments.cut && moments.to.empty()) throw_invalid("--cut needs --to, the folder of the cuts");
  if (!moments.cut && !moments.to.empty()) throw_invalid("--to needs --cut");
  if (!moments.cut && moments.may_replace) throw_invalid("--force needs --cut");
  if (!moments.cut && !moments.with_key_frames) throw_invalid("--no-key-frames needs --cut");
}

}  // namespace

void add_find(CommandLine& line) {
  auto arguments = std::make_shared<FindArguments>();
  auto times = std::make_shared<std::vector<std::string>>();
  Verb& verb = line.add_verb("find", kReadingVerbs, kFindText, arguments, find, [arguments, times] {
    bool asks_catalog = !arguments->catalog.empty();
    if (asks_catalog && !arguments->places.empty()) {
      throw_invalid("a catalog knows where its bags are; leave out DIR, or --catalog");
    }
    if (!asks_catalog && !arguments->tags.empty()) throw_invalid("--tag needs --catalog");
    if (arguments->last && !times->empty())
      throw_invalid("--last and --between exclude each other");
    if (!asks_catalog && arguments->places.empty()) arguments->places = {"."};
    take_times(*times, arguments->query);
    check(*arguments);
  });
  add_list(verb, "DIR", arguments->places, "[DIR...]",
           "Folders, which are searched with those below them, and bags. Default: this folder");
  Selection& select = arguments->query.select;
  verb.common(add_words(verb, "--topics,--topic", select.topics, "TOPIC...",
                        "Select bags that have all these topics, by name or glob")
                  ->group(kSelectionGroup));
  verb.common(add_words(verb, "--types,--type", select.types, "TYPE...",
                        "Select bags that have topics of all these types, by name or glob")
                  ->group(kSelectionGroup));
  verb.common(add_list(verb, "--between", *times, "TIME...",
                       "Select bags with messages from the first TIME until the second")
                  ->expected(2)
                  ->group(kSelectionGroup));
  verb.common(add_parsed(verb, "--longer-than", arguments->query.longer_than,
                         parse_positive_duration, "DURATION",
                         "Select bags that are longer than this")
                  ->group(kSelectionGroup));
  verb.common(
      add_parsed(
          verb, "--last", arguments->last,
          [](const std::string& text) { return std::optional(parse_positive_duration(text)); },
          "DURATION", "Select bags with messages from the last DURATION, such as 30d")
          ->group(kSelectionGroup));
  verb.common(add_where(verb, arguments->query.where));
  verb.common(add_text(verb, "--catalog", arguments->catalog, "CATALOG",
                       "Search the bags of this catalog (kitbag catalog)"));
  verb.common(add_tags(verb, arguments->tags, "Select bags of the catalog that have this tag")
                  ->group(kSelectionGroup));
  MomentOptions& moments = arguments->moments;
  verb.common(add_text(verb, "--events", moments.events, "NAME",
                       "Keep each moment in the catalog as an event of this name"));
  verb.common(add_parsed(
      verb, "--cut", moments.cut,
      [](const std::string& text) { return std::optional(parse_positive_duration(text)); },
      "DURATION", "Write a bag around each moment, with this much time before and after it"));
  verb.common(add_text(verb, "--to", moments.to, "DIR",
                       "Put these bags into this folder, which may be s3://..."));
  add_force(verb, moments.may_replace, "Replace other files with the names of these bags");
  add_no_key_frames(verb, moments.with_key_frames);
  verb.common(add_text(verb, "--links", moments.links, "URL",
                       "Print a link to the player page at URL (kitbag serve) with each moment"));
  verb.common(verb.add_flag("--json", arguments->as_json,
                            "Print a JSON object for each bag, moment and cut, on a line of its "
                            "own"));
  add_definitions(verb, arguments->definitions);
  add_reading(verb, arguments->reading);
}

}  // namespace kitbag::cli
