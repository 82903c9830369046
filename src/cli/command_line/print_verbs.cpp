#include "cli/command_line/options.h"
#include "cli/command_line/verb.h"
#include "cli/verbs.h"

namespace kitbag::cli {
namespace {

/// How single messages are printed.
void add_message_format(CLI::App& app, PrintOptions& print) {
  add_choice<PrintFormat>(app, "--format", print.format,
                          {{"json", PrintFormat::json},
                           {"yaml", PrintFormat::yaml},
                           {"csv", PrintFormat::csv},
                           {"raw", PrintFormat::raw}},
                          "Select the output format. Default: json");
  add_print(app, print);
}

}  // namespace

void add_cat(CommandLine& line) {
  auto arguments = std::make_shared<CatArguments>();
  CLI::App& app =
      line.add_verb("cat", help::kCat, std::string(help::kTimes) + help::kCatFooter, arguments, cat,
                    [arguments] { require_plain_range(arguments->select); });
  add_list(app, "BAG", arguments->bags, "BAG...", "Bags to print")->required();
  using Format = std::optional<PrintFormat>;
  add_choice<Format>(app, "--format", arguments->format,
                     {{"json", PrintFormat::json},
                      {"yaml", PrintFormat::yaml},
                      {"csv", PrintFormat::csv},
                      {"raw", PrintFormat::raw},
                      {"digest", std::nullopt}},
                     "Select the output format. Default: json");
  add_print(app, arguments->print);
  add_select(app, arguments->select);
  add_payload(app, arguments->payload);
  add_strict(app, arguments->reading);
  add_reading(app, arguments->reading);
}

void add_echo(CommandLine& line) {
  auto arguments = std::make_shared<EchoArguments>();
  CLI::App& app = line.add_verb("echo", help::kEcho, std::string(help::kTimes) + help::kEchoFooter,
                                arguments, echo);
  add_text(app, "BAG", arguments->bag, "BAG", "The bag")->required();
  add_message_format(app, arguments->print);
  add_topics(app, arguments->select);
  add_parsed(app, "--start", arguments->start, parse_time, "TIME", "Skip messages before this time")
      ->group("Message selection");
  add_number(app, "--count", arguments->count, "N", "Stop after the first N selected messages")
      ->group("Message selection");
  add_payload(app, arguments->payload);
  add_strict(app, arguments->reading);
  add_reading(app, arguments->reading);
}

void add_nth(CommandLine& line) {
  auto arguments = std::make_shared<NthArguments>();
  CLI::App& app = line.add_verb("nth", help::kNth, help::kNthFooter, arguments, nth);
  add_text(app, "BAG", arguments->bag, "BAG", "The bag")->required();
  add_text(app, "TOPIC", arguments->topic, "TOPIC", "The name of the topic")->required();
  add_number(app, "N", arguments->position, "N",
             "The position: 0 is the first, -1 the last message")
      ->required();
  add_message_format(app, arguments->print);
  add_definitions(app, arguments->definitions);
  add_order(app, arguments->order, arguments->by);
  add_strict(app, arguments->reading);
  add_reading(app, arguments->reading);
}

}  // namespace kitbag::cli
