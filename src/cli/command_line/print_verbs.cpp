#include "cli/command_line/options.h"
#include "cli/command_line/verb.h"
#include "cli/verbs.h"

// `head` and `tail` are `cat` with a count, and take what makes sense with one: no digest, which is
// of all messages, and for `tail` no order of its own, since it reads from the end.

namespace kitbag::cli {
namespace {

constexpr VerbText kCatText{.summary = "Print messages; several bags are merged into one stream.",
                            .examples = R"(  kitbag cat run.bag --topics /odom --count 3
  kitbag cat run.bag --topics /odom --fields pose.pose.position.x,header.stamp --format csv
  kitbag cat run.bag --start +5s --duration 1s --where 'level >= 8 && name == "/planner"')",
                            .notes = R"(Formats:
  json    one object per line, with the decoded message in "data"
  yaml    one document per message
  csv     one line per message and one column per field; for messages of one type
  raw     the payload bytes of all messages, without separators
  digest  one line per topic, separated by tabs: topic, type, count, and the SHA-256 of (log time,
          payload) of all its messages in time order, so that equal content gives equal lines

In strings that are not UTF-8, each invalid byte is printed as U+FFFD, with one warning per
topic.)"};

constexpr VerbText kHeadText{
    .summary = "Print the first messages; several bags are merged into one stream.",
    .more = "The same as cat --count 10.",
    .examples = R"(  kitbag head run.bag
  kitbag head run.bag -n 3 --topics /odom --fields pose.pose.position)"};

constexpr VerbText kTailText{
    .summary = "Print the last messages, in time order, without reading those before them.",
    .examples = R"(  kitbag tail run.bag
  kitbag tail run.bag -n 3 --topics /rosout --where 'level >= 8')",
    .notes =
        R"(The messages that are printed are held in memory, up to 1 GiB. A bag in a pipe has no end
to begin at: save it to a file first. To follow a bag that is being written, use kitbag echo.)"};

constexpr VerbText kNthText{
    .summary = "Print one message of a topic without reading the messages before it.",
    .examples = R"(  kitbag nth run.bag /odom 0                   print the first message
  kitbag nth run.bag /odom -1                  print the last message
  kitbag nth run.bag /map 4 --format raw > map.bin)"};

}  // namespace

void add_message_format(Verb& verb, PrintingOptions& print) {
  verb.common(add_choice<PrintFormat>(verb, "--format", print.format,
                                      {{"json", PrintFormat::json},
                                       {"yaml", PrintFormat::yaml},
                                       {"csv", PrintFormat::csv},
                                       {"raw", PrintFormat::raw}},
                                      "Select the output format. Default: json")
                  ->group(kPrintingGroup));
  add_printing(verb, print);
}

void add_cat(CommandLine& line) {
  auto arguments = std::make_shared<CatArguments>();
  Verb& verb = line.add_verb("cat", kReadingVerbs, kCatText, arguments, cat,
                             [arguments] { require_plain_range(arguments->select); });
  add_many_bags(verb, arguments->bags, "Bags to print");
  add_select(verb, arguments->select);
  verb.common(add_where(verb, arguments->payload.where));
  verb.common(add_count(verb, arguments->select.count));
  using Format = std::optional<PrintFormat>;
  verb.common(add_choice<Format>(verb, "--format", arguments->format,
                                 {{"json", PrintFormat::json},
                                  {"yaml", PrintFormat::yaml},
                                  {"csv", PrintFormat::csv},
                                  {"raw", PrintFormat::raw},
                                  {"digest", std::nullopt}},
                                 "Select the output format. Default: json")
                  ->group(kPrintingGroup));
  add_text(verb, "--split-by-topic", arguments->folder, "DIR",
           "Print each topic into a file of its own in this folder, such as DIR/odom.csv")
      ->group(kPrintingGroup);
  add_printing(verb, arguments->print);
  add_definitions(verb, arguments->payload.definitions);
  add_evolution(verb, arguments->payload.transcoding);
  add_reading(verb, arguments->reading);
}

namespace {

constexpr std::uint64_t kShownByDefault = 10;

/// `head` and `tail` are `cat` with a count.
Verb& add_part_of_cat(CommandLine& line, const char* name, const VerbText& text,
                      const std::shared_ptr<CatArguments>& arguments) {
  auto complete = [arguments] {
    // `cat` has a format of its own, which may be a digest; here it is one of the printers.
    arguments->format = arguments->print.format;
    require_plain_range(arguments->select);
  };
  Verb& verb = line.add_verb(name, kReadingVerbs, text, arguments, cat, complete);
  arguments->select.count = kShownByDefault;
  add_many_bags(verb, arguments->bags, "Bags to print");
  verb.common(add_number(verb, "-n,--count", arguments->select.count, "N",
                         "Print this many messages. Default: 10")
                  ->group(kSelectionGroup));
  verb.common(add_where(verb, arguments->payload.where));
  add_message_format(verb, arguments->print);
  add_definitions(verb, arguments->payload.definitions);
  add_evolution(verb, arguments->payload.transcoding);
  add_reading(verb, arguments->reading);
  return verb;
}

}  // namespace

void add_head(CommandLine& line) {
  auto arguments = std::make_shared<CatArguments>();
  Verb& verb = add_part_of_cat(line, "head", kHeadText, arguments);
  add_select(verb, arguments->select);
}

void add_tail(CommandLine& line) {
  auto arguments = std::make_shared<CatArguments>();
  arguments->is_tail = true;
  // The last messages are the first ones backwards; the verb turns them around again.
  arguments->select.order = Order::reverse_time;
  Verb& verb = add_part_of_cat(line, "tail", kTailText, arguments);
  add_topics(verb, arguments->select.select);
  add_range(verb, arguments->select);
  add_by(verb, arguments->select.by);
}

void add_nth(CommandLine& line) {
  auto arguments = std::make_shared<NthArguments>();
  Verb& verb = line.add_verb("nth", kReadingVerbs, kNthText, arguments, nth);
  add_bag(verb, arguments->bag);
  add_text(verb, "TOPIC", arguments->topic, "TOPIC", "The name of the topic")->required();
  add_number(verb, "N", arguments->position, "N",
             "The position: 0 is the first, -1 the last message")
      ->required();
  add_message_format(verb, arguments->print);
  verb.common(add_order(verb, arguments->order));
  verb.common(add_by(verb, arguments->by));
  add_definitions(verb, arguments->definitions);
  add_reading(verb, arguments->reading);
}

}  // namespace kitbag::cli
