#include "cli/command_line.h"

#include <algorithm>
#include <sstream>

#include "cli/options/options.h"
#include "cli/terminal/output.h"
#include "cli/verbs.h"

namespace kitbag::cli {
namespace {

/// Help as kitbag writes it: arguments by their written form ("IN... OUT"), nothing "REQUIRED".
class HelpFormatter final : public CLI::Formatter {
 public:
  HelpFormatter() {
    column_width(kOptionColumn);
    label("Positionals", "Arguments");
    label("SUBCOMMAND", "VERB");
  }
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string help = CLI::Formatter::make_help(app, std::move(name), mode);
    return CLI::detail::find_and_replace(std::move(help), "\n\n\n", "\n\n");
  }
  std::string make_subcommand(const CLI::App* verb) const override {
    std::ostringstream line;
    CLI::detail::format_help(line, verb->get_name(), verb->get_description(), kVerbColumn);
    return line.str();
  }
  std::string make_option_usage(const CLI::Option* option) const override {
    return option->get_option_text();
  }
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    return is_positional ? option->get_option_text()
                         : CLI::Formatter::make_option_name(option, false);
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_positional() || option->get_option_text().empty()) return "";
    return " " + option->get_option_text();
  }

 private:
  static constexpr std::size_t kOptionColumn = 34;
  static constexpr std::size_t kVerbColumn = 14;
};

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

CLI::Option* add_named(CLI::App& app, Named& what) {
  return add_choice<Named>(app, "WHAT", what,
                           {{"attachment", Named::attachment}, {"metadata", Named::metadata}},
                           "The kind of item")
      ->required();
}

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

void require_plain_target(const RepairArguments& arguments) {
  std::size_t names = arguments.paths.size();
  if (names == (arguments.in_place ? 1U : 2U)) return;
  throw_invalid(arguments.in_place ? "repair: --in-place takes one bag and no OUT"
                                   : "repair: specify OUT, or use --in-place");
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

void add_verbs(CommandLine& line) {
  add_record(line);
  add_play(line);
  add_pipe(line);
  add_control(line);
  add_info(line);
  add_cat(line);
  add_echo(line);
  add_converts(line);
  add_nth(line);
  add_list_verb(line);
  add_du(line);
  add_get(line);
  add_add(line);
  add_diff(line);
  add_types(line);
  add_check(line);
  add_repair(line, "repair", help::kRepair);
  add_repair(line, "reindex", help::kRepairAlias);
  add_repair(line, "recover", help::kRepairAlias);
}

Command print_and_exit(std::string text, int code) {
  return [text = std::move(text), code](const Context& context) {
    context.out.write(text);
    return code;
  };
}

/// The verb that was given, or the program itself.
const CLI::App& given_app(const CLI::App& app) {
  auto verbs = app.get_subcommands();
  return verbs.empty() ? app : *verbs.front();
}

std::string full_name(const CLI::App& app) {
  return app.get_parent() ? app.get_parent()->get_name() + " " + app.get_name() : app.get_name();
}

std::string help_of(const CLI::App& app) {
  return app.help(app.get_parent() ? app.get_parent()->get_name() : "");
}

[[noreturn]] void throw_usage(const CLI::App& app, const std::string& text) {
  throw_invalid(fmt::format("{}; see {} --help", text, full_name(given_app(app))));
}

void require_known_verb(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front().starts_with('-')) return;
  for (const CLI::App* verb : app.get_subcommands({})) {
    if (verb->get_name() == arguments.front()) return;
  }
  throw_usage(app, fmt::format("unknown verb \"{}\"", arguments.front()));
}

}  // namespace

ParsedCommand parse_command(const std::vector<std::string>& arguments) {
  auto line = std::make_unique<CommandLine>();
  CLI::App& app = line->app;
  app.formatter(std::make_shared<HelpFormatter>());
  app.footer(std::string("\n") + help::kProgramFooter);
  app.set_version_flag("--version", "kitbag " KITBAG_VERSION, "Print the version");
  app.set_help_flag("-h,--help", "Print this help");
  app.require_subcommand(0, 1);
  add_verbs(*line);
  if (arguments.empty()) return {print_and_exit(app.help(), kFailed), {}};
  require_known_verb(app, arguments);
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // CLI11 pops its back
  std::transform(reversed.begin(), reversed.end(), reversed.begin(), marked);
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return {print_and_exit(help_of(given_app(app)), kDone), {}};
  } catch (const CLI::CallForVersion& version) {
    return {print_and_exit(std::string(version.what()) + "\n", kDone), {}};
  } catch (const CLI::ParseError& error) {
    throw_usage(app, error.what());
  }
  if (!line->command) throw_usage(app, "no verb given");
  return {line->command, line->plugins};
}

}  // namespace kitbag::cli
