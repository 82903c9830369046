#include "cli/command_line/options.h"
#include "cli/command_line/unknown_names.h"
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
constexpr char kReindexSummary[] =
    "Repair bags in place, as repair does; the original of x.bag is kept as x.orig.bag.";
constexpr VerbText kRepairText{
    .summary = kRepairSummary,
    .more =
        R"(Exit code 0: nothing is lost; 1: messages are lost or may be, and each place is listed;
2: there is nothing to save, or OUT cannot be written.)",
    .examples = R"(  kitbag repair crashed.bag saved.bag
  kitbag repair *.bag --in-place
  kitbag repair crashed.bag saved.bag --json > report.json)",
    .notes =
        R"(IN is not changed; with --in-place it is replaced when the repaired bag is complete and
on the disk. OUT has the newest version of IN's format.

The last name is OUT, unless -o names it, --output-dir gives each IN an output of its own, or IN is
repaired in place.)"};

constexpr VerbText kReindexText{
    .summary = kReindexSummary,
    .more =
        R"(A sound bag is not changed. An original that was kept is never replaced. Exit codes: see
kitbag repair.)",
    .examples = R"(  kitbag reindex *.bag
  kitbag reindex crashed.bag -o saved.bag
  kitbag reindex *.bag --output-dir saved)"};

CLI::Option* add_named(Verb& verb, Named& what) {
  return add_choice<Named>(verb, "attachment|metadata", what,
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

void complete_repair(const std::string& name, RepairArguments& arguments) {
  OutputOptions& output = arguments.output;
  if (!arguments.in_place) {
    // take_target() would refuse it too, but knows nothing of --in-place.
    if (arguments.inputs.size() == 1 && !output.is_each() && output.path.empty()) {
      throw_invalid(fmt::format(
          "{}: specify OUT, or use -o, --output-dir or --in-place; see kitbag {} --help", name,
          name));
    }
    take_target(output, arguments.inputs, {}, name);
    if (!output.path.empty() && arguments.inputs.size() > 1) {
      throw_invalid(fmt::format("{}: an output is of one bag; use --output-dir for several", name));
    }
    return;
  }
  if (output.path.empty() && output.folder.empty()) return;
  throw_invalid(fmt::format("{}: --in-place excludes -o and --output-dir", name));
}

void add_repair(CommandLine& line, const std::string& name, const VerbText& text,
                OutputOptions::Default by_default) {
  if (!line.wants(name)) return;
  auto arguments = std::make_shared<RepairArguments>();
  // Empty: that of the damaged bag.
  arguments->write.compression.clear();
  arguments->output.by_default = by_default;
  Verb& verb = line.add_verb(name, kWritingVerbs, text, arguments, repair,
                             [arguments, name] { complete_repair(name, *arguments); });
  if (by_default == OutputOptions::Default::in_place) {
    add_bags(verb, arguments->inputs, "Bags to repair in place");
  } else {
    add_list(verb, kInputsAndOutput, arguments->inputs, "IN... [OUT]",
             "The damaged bag, and the bag to write unless an option says where")
        ->required();
  }
  verb.common(verb.add_flag("--in-place", arguments->in_place,
                            "Replace each IN when its repair is complete, and keep no original. A "
                            "sound IN is not changed")
                  ->group(kOutputGroup));
  add_output(verb, arguments->output);
  add_force(verb, arguments->write.may_replace, "Replace OUT if it exists");
  verb.common(verb.add_flag("--json", arguments->output.as_json,
                            "Print the report as a JSON object; for several bags, one per line")
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
  verb.common(add_number(verb, "--number", arguments->number, "N",
                         "Select the N-th item of that name, from 1. Default: an error if there "
                         "are several",
                         std::uint64_t{1}));
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
                         "Set the attachment's log time. Default: now"));
  verb.common(add_parsed(verb, "--create-time", arguments->create_time, parse_absolute_time, "TIME",
                         "Set the time when the attachment was created. Default: its log time"));
}

void add_repairs(CommandLine& line) {
  using Default = OutputOptions::Default;
  add_repair(line, "repair", kRepairText, Default::last_name);
  add_repair(line, "reindex", kReindexText, Default::in_place);
  VerbText recover = kRepairText;
  recover.summary = kRepairAlias;
  add_repair(line, "recover", recover, Default::last_name);
}

}  // namespace kitbag::cli
