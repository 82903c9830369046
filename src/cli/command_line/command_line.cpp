#include "cli/command_line/command_line.h"

#include <algorithm>
#include <sstream>

#include "cli/command_line/verb.h"
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

void add_verbs(CommandLine& line) {
  add_record(line);
  add_play(line);
  add_pipe(line);
  add_serve(line);
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
