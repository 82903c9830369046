#include "cli/command_line/options.h"
#include "cli/command_line/verb.h"
#include "cli/verbs.h"

namespace kitbag::cli {

void add_info(CommandLine& line) {
  auto arguments = std::make_shared<InfoArguments>();
  CLI::App& app = line.add_verb("info", help::kInfo, help::kInfoFooter, arguments, info);
  add_list(app, "BAG", arguments->bags, "BAG...", "Bags to inspect")->required();
  app.add_flag("--json", arguments->as_json, "Print a JSON object, or an array for several bags");
  app.add_flag("--verbose", arguments->is_verbose,
               "Also print the rate and jitter of each topic; this\nreads all messages");
  add_strict(app, arguments->reading);
  add_reading(app, arguments->reading);
}

void add_list_verb(CommandLine& line) {
  auto arguments = std::make_shared<ListArguments>();
  CLI::App& app = line.add_verb("list", help::kList, help::kListFooter, arguments, list);
  add_text(app, "BAG", arguments->bag, "BAG", "The bag")->required();
  add_choice<Listed>(app, "WHAT", arguments->what,
                     {{"topics", Listed::topics},
                      {"schemas", Listed::schemas},
                      {"chunks", Listed::chunks},
                      {"attachments", Listed::attachments},
                      {"metadata", Listed::metadata}},
                     "What to list")
      ->required();
  app.add_flag("--json", arguments->as_json, "Print an array of JSON objects");
  add_strict(app, arguments->reading);
  add_reading(app, arguments->reading);
}

void add_types(CommandLine& line) {
  auto arguments = std::make_shared<TypesArguments>();
  CLI::App& app = line.add_verb("types", help::kTypes, help::kTypesFooter, arguments, types);
  add_text(app, "BAG", arguments->bag, "BAG", "The bag")->required();
  add_text(app, "TYPE", arguments->type, "TYPE", "The type whose definition is printed");
  add_text(app, "--language", arguments->language, "NAME",
           "Convert the definition to ros1msg, ros2msg, ros2idl\nor jsonschema. Default: print it "
           "as stored");
  add_definitions(app, arguments->definitions);
  add_strict(app, arguments->reading);
  add_reading(app, arguments->reading);
}

void add_du(CommandLine& line) {
  auto arguments = std::make_shared<DuArguments>();
  CLI::App& app =
      line.add_verb("du", help::kDu, std::string(help::kTimes) + help::kDuFooter, arguments, du,
                    [arguments] { require_plain_range(arguments->select); });
  add_list(app, "BAG", arguments->bags, "BAG...", "Bags to inspect")->required();
  app.add_flag("--json", arguments->as_json, "Print an array of JSON objects");
  add_select(app, arguments->select);
  add_strict(app, arguments->reading);
  add_reading(app, arguments->reading);
}

void add_diff(CommandLine& line) {
  auto arguments = std::make_shared<DiffArguments>();
  CLI::App& app =
      line.add_verb("diff", help::kDiff, std::string(help::kTimes) + help::kDiffFooter, arguments,
                    diff, [arguments] { require_plain_range(arguments->select); });
  add_text(app, "A", arguments->a, "A", "The first bag")->required();
  add_text(app, "B", arguments->b, "B", "The second bag")->required();
  app.add_flag("--ignore-time", arguments->ignore_time,
               "Ignore times; compare the order and the payloads of\nthe messages of each topic");
  add_select(app, arguments->select);
  add_strict(app, arguments->reading);
  add_reading(app, arguments->reading);
}

void add_check(CommandLine& line) {
  auto arguments = std::make_shared<CheckArguments>();
  CLI::App& app = line.add_verb("check", help::kCheck, help::kCheckFooter, arguments, check);
  add_list(app, "BAG", arguments->bags, "BAG...", "Bags to check")->required();
  add_evolution(app, arguments->transcoding);
  add_reading(app, arguments->reading);
}

}  // namespace kitbag::cli
