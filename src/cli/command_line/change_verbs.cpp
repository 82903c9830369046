#include "cli/command_line/options.h"
#include "cli/command_line/verb.h"
#include "cli/verbs.h"

namespace kitbag::cli {
namespace {

constexpr VerbText kGetText{
    .summary = "Extract an attachment from a bag, or print metadata as JSON.",
    .examples = R"(  kitbag get run.mcap attachment calibration.yaml > calibration.yaml
  kitbag get run.mcap attachment photo.png --output photo.png
  kitbag get run.mcap metadata operator)"};

constexpr VerbText kAddText{
    .summary = "Add an attachment or metadata to a bag.",
    .more = "The bag does not change until everything is written.",
    .examples =
        R"(  kitbag add run.mcap attachment calibration.yaml --media-type application/yaml
  kitbag add run.mcap metadata operator name=Jane shift=2)"};

constexpr char kRepairSummary[] =
    "Save the intact parts of a damaged, cut-off or unindexed bag, and report what is lost.";
constexpr char kRepairAlias[] = "Same as repair.";
constexpr VerbText kRepairText{
    .summary = kRepairSummary,
    .more =
        R"(Exit code 0: nothing is lost; 1: messages are lost or may be, and each place is listed;
2: there is nothing to save, or OUT cannot be written.)",
    .examples = R"(  kitbag repair crashed.bag saved.bag
  kitbag repair crashed.bag --in-place
  kitbag repair crashed.bag saved.bag --json > report.json)",
    .notes =
        R"(IN is not changed; with --in-place it is replaced when the repaired bag is complete and
on the disk. OUT has the newest version of IN's format.)"};

CLI::Option* add_named(Verb& verb, Named& what) {
  return add_choice<Named>(verb, "WHAT", what,
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

void add_repair(CommandLine& line, const std::string& name, const char* summary) {
  auto arguments = std::make_shared<RepairArguments>();
  arguments->write.compression.clear();
  VerbText text = kRepairText;
  text.summary = summary;
  Verb& verb = line.add_verb(name, kWritingVerbs, text, arguments, repair,
                             [arguments] { require_plain_target(*arguments); });
  add_list(verb, "IN[OUT]", arguments->paths, "IN [OUT]", "The damaged bag and the bag to write")
      ->required()
      ->expected(1, 2);
  verb.common(verb.add_flag("--in-place", arguments->in_place,
                            "Replace IN when the repair is complete. A sound IN is not changed")
                  ->group(kOutputGroup));
  add_force(verb, arguments->write.may_replace, "Replace OUT if it exists");
  verb.common(verb.add_flag("--json", arguments->as_json, "Print the report as a JSON object")
                  ->group(kOutputGroup));
  add_storage(verb, arguments->write, "that of IN");
  add_definitions(verb, arguments->definitions);
  add_input(verb, arguments->reading);
  add_gpg_key(verb, arguments->reading.gpg_key,
              "Decrypt IN with gpg's secret key of USER ('*': any key). OUT is encrypted for the "
              "same user");
}

}  // namespace

void add_get(CommandLine& line) {
  auto arguments = std::make_shared<GetArguments>();
  Verb& verb = line.add_verb("get", kReadingVerbs, kGetText, arguments, get);
  add_bag(verb, arguments->bag);
  add_named(verb, arguments->what);
  add_text(verb, "NAME", arguments->name, "NAME", "The name of the item")->required();
  verb.common(add_text(verb, "--output", arguments->output, "FILE",
                       "Write to FILE. Default: standard output")
                  ->group(kOutputGroup));
  add_force(verb, arguments->may_replace, "Replace FILE if it exists");
  add_reading(verb, arguments->reading);
}

void add_add(CommandLine& line) {
  auto arguments = std::make_shared<AddArguments>();
  Verb& verb = line.add_verb("add", kWritingVerbs, kAddText, arguments, add,
                             [arguments] { require_words(*arguments); });
  add_text(verb, "BAG", arguments->bag, "BAG", "The bag to append to")->required();
  add_named(verb, arguments->what);
  add_list(verb, "FILE|NAME", arguments->words, "FILE | NAME [KEY=VALUE...]",
           "The attachment's file, or the metadata's name and values")
      ->required();
  verb.common(add_text(verb, "--name", arguments->name, "NAME",
                       "Set the attachment's name. Default: the file's name"));
  verb.common(add_text(verb, "--media-type", arguments->media_type, "TYPE",
                       "Set the media type, such as text/plain. Default: "
                       "application/octet-stream"));
  verb.common(add_parsed(verb, "--time", arguments->log_time, parse_absolute_time, "TIME",
                         "Set the attachment's log time, which is absolute. Default: now"));
}

void add_repairs(CommandLine& line) {
  add_repair(line, "repair", kRepairSummary);
  add_repair(line, "reindex", kRepairAlias);
  add_repair(line, "recover", kRepairAlias);
}

}  // namespace kitbag::cli
