#include <algorithm>

#include "cli/command_line/options.h"
#include "cli/command_line/verb.h"
#include "cli/verbs.h"
#include "kitbag/escape.h"

namespace kitbag::cli {
namespace {

constexpr VerbText kInfoText{
    .summary = "Print a summary of bags: times, sizes, compression, topics.",
    .examples = R"(  kitbag info run.bag
  kitbag info run.bag --verbose     also the timing of each topic
  kitbag info -r /data --json       an object for each bag, on a line of its own)"};

constexpr VerbText kListText{
    .summary = "List the topics, schemas, chunks, attachments or metadata of bags.",
    .more = "Without bags: the formats of bags and the encodings of messages that kitbag has.",
    .examples = R"(  kitbag list run.mcap attachments
  kitbag list *.bag topics --json
  kitbag list formats)"};

constexpr VerbText kTypesText{
    .summary = "List the message types of a bag, or print the definition of one.",
    .examples =
        R"(  kitbag types run.bag                                   list types and their topics
  kitbag types run.bag sensor_msgs/Image
  kitbag types run.bag sensor_msgs/Image --language ros2msg)"};

constexpr VerbText kDuText{.summary = "Print the payload size of each topic, before compression.",
                           .examples = R"(  kitbag du run.bag
  kitbag du run.bag --start +10s --duration 5s --json)"};

constexpr VerbText kStatsText{
    .summary = "Print how regular, late and large the messages of each topic are.",
    .more = "Latency is the time from header.stamp to the log time, of messages that have a stamp.",
    .examples = R"(  kitbag stats run.bag
  kitbag stats run.bag --topics /imu --gap 50ms
  kitbag stats *.bag --json                  an object for each topic, with its file)",
    .notes = R"(Median and 99 % are within 1 %; the other figures are exact. The jitter is the
standard deviation of the periods, which are the times between consecutive messages.)"};

constexpr VerbText kDiffText{
    .summary = "Compare the messages of two bags: the topic, type, log time and payload of each.",
    .more = "Exit code 0: no difference; 1: different, and the first differences are printed.",
    .examples = R"(  kitbag diff run.bag copy.bag
  kitbag diff monday.bag tuesday.bag --ignore-time --topics /cmd_vel)"};

constexpr VerbText kCheckText{
    .summary = "Verify bags completely: structure, index, time order, definitions, payloads.",
    .more = R"(A finding is an error (messages are missing or damaged, or may be), a warning
(nothing is lost), or a note (nothing is wrong). Exit code 0: notes at most; 1:
errors or warnings.)",
    .examples = R"(  kitbag check run.bag
  kitbag check *.bag && echo all sound
  kitbag check run.bag --decode all    decode every message)"};

constexpr std::pair<std::string_view, Listed> kListed[] = {
    {"topics", Listed::topics},      {"schemas", Listed::schemas},
    {"chunks", Listed::chunks},      {"attachments", Listed::attachments},
    {"metadata", Listed::metadata},  {"formats", Listed::formats},
    {"encodings", Listed::encodings}};

bool is_listed(std::string_view word) {
  return std::ranges::any_of(kListed, [&](const auto& each) { return each.first == word; });
}

/// The last word says what to list; or the first one, as mcap has it, if the last one does not.
void take_listed(ListArguments& arguments) {
  std::vector<std::string>& words = arguments.bags.bags;
  if (!is_listed(words.back()) && is_listed(words.front())) {
    std::rotate(words.begin(), words.begin() + 1, words.end());
  }
  std::string word = std::move(words.back());
  words.pop_back();
  // The word is compared even if it names a file: a bag called "topics" needs a path in front.
  for (const auto& [name, what] : kListed) {
    arguments.what = what;
    if (word != name) continue;
    bool needs_bags = what != Listed::formats && what != Listed::encodings;
    if (needs_bags == !words.empty()) return;
    throw_invalid(fmt::format(
        "list: {} {}; see kitbag list --help", word,
        needs_bags ? "are those of bags: BAG... " + word : "are those of kitbag, not of a bag"));
  }
  throw_invalid(
      fmt::format("list: name what to list after {}: topics, schemas, chunks, attachments or "
                  "metadata",
                  shown_path(word)));
}

}  // namespace

void add_info(CommandLine& line) {
  auto arguments = std::make_shared<InfoArguments>();
  Verb& verb = line.add_verb("info", kReadingVerbs, kInfoText, arguments, info);
  add_many_bags(verb, arguments->bags, "Bags to inspect");
  verb.common(verb.add_flag("--json", arguments->as_json,
                            "Print a JSON object; for several bags, one on each line"));
  verb.common(verb.add_flag("--verbose", arguments->is_verbose,
                            "Print also the rate and jitter of each topic; this reads all "
                            "messages"));
  verb.add_flag("--yaml", arguments->as_yaml,
                "Print the YAML of rosbag info --yaml; a line --- between bags")
      ->group(kReadingGroup);
  add_text(verb, "--key", arguments->key, "KEY", "Print only the value of this key of --yaml")
      ->group(kReadingGroup);
  add_reading(verb, arguments->reading);
}

void add_list_verb(CommandLine& line) {
  auto arguments = std::make_shared<ListArguments>();
  Verb& verb = line.add_verb("list", kReadingVerbs, kListText, arguments, list,
                             [arguments] { take_listed(*arguments); });
  // One list: of two arguments, CLI11 would take all words for the first one.
  add_list(verb, "BAG...WHAT", arguments->bags.bags,
           "BAG... topics|schemas|chunks|attachments|metadata|formats|encodings",
           "Bags, and what to list of them; no bags for formats and encodings")
      ->required();
  verb.common(add_recursive(verb, arguments->bags.is_recursive));
  verb.common(verb.add_flag("--json", arguments->as_json,
                            "Print an array of JSON objects; for several bags, one on each line"));
  add_reading(verb, arguments->reading);
}

void add_types(CommandLine& line) {
  auto arguments = std::make_shared<TypesArguments>();
  Verb& verb = line.add_verb("types", kReadingVerbs, kTypesText, arguments, types);
  add_bag(verb, arguments->bag);
  add_text(verb, "TYPE", arguments->type, "[TYPE]", "The type whose definition is printed");
  verb.common(add_text(verb, "--language", arguments->language, "NAME",
                       "Convert the definition to ros1msg, ros2msg, ros2idl or jsonschema. "
                       "Default: print it as stored"));
  verb.common(verb.add_flag("--json", arguments->as_json,
                            "Print an array of JSON objects; for one TYPE, an object"));
  add_definitions(verb, arguments->definitions);
  add_reading(verb, arguments->reading);
}

void add_du(CommandLine& line) {
  auto arguments = std::make_shared<DuArguments>();
  Verb& verb = line.add_verb("du", kReadingVerbs, kDuText, arguments, du,
                             [arguments] { require_plain_range(arguments->select); });
  add_many_bags(verb, arguments->bags, "Bags to inspect");
  verb.common(verb.add_flag("--json", arguments->as_json,
                            "Print an array of JSON objects; for several bags, one on each line"));
  add_select(verb, arguments->select);
  add_count(verb, arguments->select.count);
  add_reading(verb, arguments->reading);
}

void add_stats(CommandLine& line) {
  auto arguments = std::make_shared<StatsArguments>();
  Verb& verb = line.add_verb("stats", kReadingVerbs, kStatsText, arguments, stats,
                             [arguments] { require_plain_range(arguments->select); });
  add_many_bags(verb, arguments->bags, "Bags to inspect");
  verb.common(verb.add_flag("--json", arguments->as_json,
                            "Print an array of JSON objects; for several bags, one on each line"));
  verb.common(add_parsed(verb, "--gap", arguments->gap, parse_positive_duration, "DURATION",
                         "Print also how many periods are longer than this"));
  add_topics(verb, arguments->select.select);
  add_range(verb, arguments->select);
  add_definitions(verb, arguments->definitions);
  add_reading(verb, arguments->reading);
}

void add_diff(CommandLine& line) {
  auto arguments = std::make_shared<DiffArguments>();
  Verb& verb = line.add_verb("diff", kReadingVerbs, kDiffText, arguments, diff,
                             [arguments] { require_plain_range(arguments->select); });
  add_text(verb, "A", arguments->a, "A", "The first bag")->required();
  add_text(verb, "B", arguments->b, "B", "The second bag")->required();
  verb.explain_words([](const std::string& word) {
    return word.starts_with('-') ? std::string()
                                 : fmt::format("diff compares two bags; \"{}\" is a third", word);
  });
  verb.common(verb.add_flag("--ignore-time", arguments->ignore_time,
                            "Ignore times; compare the order and the payloads of the messages of "
                            "each topic"));
  verb.common(verb.add_flag("--json", arguments->as_json, "Print a JSON object"));
  add_select(verb, arguments->select);
  add_count(verb, arguments->select.count);
  add_reading(verb, arguments->reading);
}

void add_check(CommandLine& line) {
  auto arguments = std::make_shared<CheckArguments>();
  Verb& verb = line.add_verb("check", kReadingVerbs, kCheckText, arguments, check);
  add_many_bags(verb, arguments->bags, "Bags to check");
  verb.common(verb.add_flag("--json", arguments->as_json,
                            "Print a JSON object for each bag, on a line of its own"));
  verb.common(add_choice(verb, "--decode", arguments->decoded_messages,
                         {{"first", arguments->decoded_messages}, {"all", UINT64_MAX}, {"none", 0}},
                         "Decode messages by their definition: the first 10 of each channel "
                         "(first), all, or none. Default: first"));
  add_evolution(verb, arguments->transcoding);
  add_any_input(verb, arguments->reading);
}

}  // namespace kitbag::cli
