#include "cli/command_line/options.h"
#include "cli/command_line/verb.h"
#include "cli/verbs.h"

namespace kitbag::cli {
namespace {

CLI::Option* add_named(CLI::App& app, Named& what) {
  return add_choice<Named>(app, "WHAT", what,
                           {{"attachment", Named::attachment}, {"metadata", Named::metadata}},
                           "The kind of item")
      ->required();
}

void require_words(const AddArguments& arguments) {
  bool is_file = arguments.what == Named::attachment;
  if (is_file && arguments.words.size() != 1) {
    throw_invalid("add: an attachment takes exactly one FILE");
  }
  bool has_file_options =
      !arguments.name.empty() || !arguments.media_type.empty() || arguments.log_time.has_value();
  if (!is_file && has_file_options) {
    throw_invalid("add: --name, --media-type and --time apply only to attachments");
  }
}

void require_plain_target(const RepairArguments& arguments) {
  std::size_t names = arguments.paths.size();
  if (names == (arguments.in_place ? 1U : 2U)) return;
  throw_invalid(arguments.in_place ? "repair: --in-place takes one bag and no OUT"
                                   : "repair: specify OUT, or use --in-place");
}

}  // namespace

void add_get(CommandLine& line) {
  auto arguments = std::make_shared<GetArguments>();
  CLI::App& app = line.add_verb("get", help::kGet, help::kGetFooter, arguments, get);
  add_text(app, "BAG", arguments->bag, "BAG", "The bag")->required();
  add_named(app, arguments->what);
  add_text(app, "NAME", arguments->name, "NAME", "The name of the item")->required();
  add_text(app, "--output", arguments->output, "FILE", "Write to FILE. Default: standard output");
  add_force(app, arguments->may_replace, "Replace FILE if it exists");
  add_strict(app, arguments->reading);
  add_reading(app, arguments->reading);
}

void add_add(CommandLine& line) {
  auto arguments = std::make_shared<AddArguments>();
  CLI::App& app = line.add_verb("add", help::kAdd, help::kAddFooter, arguments, add,
                                [arguments] { require_words(*arguments); });
  add_text(app, "BAG", arguments->bag, "BAG", "The bag to append to")->required();
  add_named(app, arguments->what);
  add_list(app, "FILE|NAME", arguments->words, "FILE | NAME [KEY=VALUE...]",
           "The attachment's file, or the metadata's name and\nvalues")
      ->required();
  add_text(app, "--name", arguments->name, "NAME",
           "Set the attachment's name. Default: the file's name");
  add_text(app, "--media-type", arguments->media_type, "TYPE",
           "Set the media type, such as text/plain. Default:\napplication/octet-stream");
  add_parsed(app, "--time", arguments->log_time, parse_absolute_time, "TIME",
             "Set the attachment's log time. Default: now");
}

void add_repair(CommandLine& line, const std::string& name, const char* description) {
  auto arguments = std::make_shared<RepairArguments>();
  arguments->write.compression.clear();
  CLI::App& app = line.add_verb(name, description, help::kRepairFooter, arguments, repair,
                                [arguments] { require_plain_target(*arguments); });
  add_list(app, "IN[OUT]", arguments->paths, "IN [OUT]", "The damaged bag and the bag to write")
      ->required()
      ->expected(1, 2);
  app.add_flag("--in-place", arguments->in_place,
               "Replace IN when the repair is complete. A sound IN is\nnot changed");
  add_force(app, arguments->write.may_replace, "Replace OUT if it exists");
  app.add_flag("--json", arguments->as_json, "Print the report as a JSON object");
  add_definitions(app, arguments->definitions);
  add_storage(app, arguments->write, "that of IN");
  add_taking_for(app, arguments->reading);
  add_gpg_key(app, arguments->reading.gpg_key,
              "Decrypt IN with gpg's secret key of USER ('*': any\nkey). OUT is encrypted for the "
              "same user");
}

}  // namespace kitbag::cli
