#include "cli/command_line/command_line.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string_view>

#include "cli/command_line/completion.h"
#include "cli/command_line/help.h"
#include "cli/command_line/help_page.h"
#include "cli/command_line/man.h"
#include "cli/command_line/unknown_names.h"
#include "cli/command_line/verb.h"
#include "cli/options/batch_commands.h"
#include "cli/peers/other_names.h"
#include "cli/peers/peer.h"
#include "cli/terminal/output.h"
#include "cli/terminal/width.h"
#include "cli/verbs.h"
#include "kitbag/error.h"

// A command line is taken by the first of these that it fits:
//
//   rosbag play x.bag ...        a verb of another tool (cli/peers), as one or more lines of ours
//   nothing                      the list of verbs; exit code 2, as nothing was done
//   --complete WORD ...          what a shell offers
//   --man-pages DIR              the manual
//   --batch-serve, --batch-task  a process that kitbag batch has started
//   VERB ...                     other tools' names of options are replaced, and CLI11 parses
//
// Parsing runs nothing: the result is a closure over the arguments of its verb, and what the
// session is made with, which must be known before there is one. So an option can be checked here
// as far as that takes no bag and no plugin, and the rest is checked by the verb. Whatever is wrong
// becomes an Error (invalid) of one sentence, which main prints, with exit code 2. Mistakes in a
// value say what was expected; mistakes in words, which CLI11 finds, name what may have been meant
// and where the help is.

namespace kitbag::cli {
namespace {

/// Adds one verb, or several, which ask for each of their names whether it is wanted.
struct VerbAdder {
  void (*add)(CommandLine&);
  std::string_view name = {};  ///< of the verb if it is one
};

/// In the order of `kitbag --help`; the verbs of a group are adjacent.
constexpr VerbAdder kVerbs[] = {
    {add_record, "record"},
    {add_play, "play"},
    {add_pipe, "pipe"},
    {add_topics_verb, "topics"},
    {add_echo, "echo"},
    {add_publish, "publish"},
    {add_serve, "serve"},
    {add_control, "control"},
    {add_upload, "upload"},
    {add_view, "view"},
    {add_find, "find"},
    {add_catalog, "catalog"},
    {add_ls, "ls"},
    {add_info, "info"},
    {add_cat, "cat"},
    {add_head, "head"},
    {add_tail, "tail"},
    {add_export, "export"},
    {add_plot, "plot"},
    {add_nth, "nth"},
    {add_sql, "sql"},
    {add_list_verb, "list"},
    {add_types, "types"},
    {add_du, "du"},
    {add_stats, "stats"},
    {add_get, "get"},
    {add_diff, "diff"},
    {add_check, "check"},
    {add_converts},
    {add_cp, "cp"},
    {add_import, "import"},
    {add_batch, "batch"},
    {add_add, "add"},
    {add_repairs},
    {add_peers},
};

std::vector<std::string> behind_first(const std::vector<std::string>& arguments) {
  return {arguments.begin() + 1, arguments.end()};
}

Command print_and_exit(std::string text, int code) {
  return [text = std::move(text), code](const Context& context) {
    context.out.write(text);
    return code;
  };
}

/// The verb that was given, or null.
const Verb* given_verb(const CLI::App& app) {
  auto verbs = app.get_subcommands();
  return verbs.empty() ? nullptr : static_cast<const Verb*>(verbs.front());
}

Command print_help(const CLI::App& app, bool shows_all) {
  const Verb* verb = given_verb(app);
  bool is_terminal = isatty(STDOUT_FILENO) == 1;
  std::size_t columns = is_terminal ? terminal_columns(STDOUT_FILENO) : kMostHelpColumns;
  return print_and_exit(
      verb ? verb_help(*verb, shows_all, columns) : program_help(app, shows_all, columns), kDone);
}

[[noreturn]] void throw_usage(const CLI::App& app, const std::string& text) {
  const Verb* verb = given_verb(app);
  throw_invalid(fmt::format("{}; see kitbag{} --help", text, verb ? " " + verb->get_name() : ""));
}

std::string extra_words_text(const Verb& verb) {
  std::string explained = explained_words(verb);
  return explained.empty() ? unknown_word_text(verb) : explained;
}

void require_known_verb(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front().starts_with('-')) return;
  for (const CLI::App* verb : app.get_subcommands({})) {
    if (verb->get_name() == arguments.front()) return;
  }
  std::string_view ours = our_verb_for(arguments.front());
  if (!ours.empty()) throw_invalid(fmt::format("{}; see docs/coming-from.md", ours));
  throw_usage(app, unknown_verb_text(app, arguments.front()));
}

/// `kitbag help VERB` as `kitbag VERB --help`.
std::vector<std::string> without_help_verb(std::vector<std::string> arguments) {
  if (arguments.empty() || arguments.front() != kHelpVerb) return arguments;
  arguments.erase(arguments.begin());
  arguments.emplace_back("--help");
  return arguments;
}

/// For the scripts in share/completions, which wait for it at each press of Tab.
Command print_completion_of(std::vector<std::string> words) {
  constexpr unsigned kMostSeconds = 2;
  return [words = std::move(words)](const Context& context) {
    // A bag on a slow disk must not block the shell of somebody who pressed Tab. Nothing is written
    // before all is known, so the end of the process is an empty answer.
    std::signal(SIGALRM, [](int) { _exit(kDone); });
    alarm(kMostSeconds);
    context.out.write(print_completion(complete(*make_command_line(), words, context.session)));
    return kDone;
  };
}

Command write_man_pages(const std::string& folder) {
  return [folder](const Context&) {
    for (const ManPage& page : man_pages(make_command_line()->app)) {
      std::filesystem::path path = std::filesystem::path(folder) / page.name;
      std::ofstream file(path);
      file << page.text;
      file.close();
      if (!file) throw Error(ErrorCode::io, "cannot write the manual page", path.string());
    }
    return kDone;
  };
}

/// Of a command line of another tool, the name of which comes first: its help, or what our command
/// line does. Nothing for `kitbag rosbag --help`, which is a verb's.
std::optional<ParsedCommand> parse_peer_command(std::span<const std::string> arguments) {
  const Peer* peer = arguments.empty() ? nullptr : peer_named(arguments.front());
  if (!peer) return std::nullopt;
  bool is_printed = arguments.size() > 1 && arguments[1] == kPrintOption;
  std::span<const std::string> rest = arguments.subspan(is_printed ? 2 : 1);
  if (rest.empty() || rest.front().starts_with('-')) return std::nullopt;
  std::vector<std::string> words(rest.begin(), rest.end());
  if (const PeerVerb* verb = helped_verb(*peer, words)) {
    return ParsedCommand{print_and_exit(peer_help(*peer, *verb), kDone), {}};
  }
  std::string lines;
  std::vector<Command> commands;
  for (const std::vector<std::string>& ours : translated(*peer, words)) {
    // All lines are parsed before the first one runs.
    commands.push_back(parse_command(ours).run);  // what is printed can be run
    lines += "kitbag " + shell_line(ours) + "\n";
  }
  if (is_printed) return ParsedCommand{print_and_exit(std::move(lines), kDone), {}};
  auto run = [commands = std::move(commands)](const Context& context) {
    int code = kDone;
    for (const Command& command : commands) code = std::max(code, command(context));
    return code;
  };
  return ParsedCommand{run, {}};
}

}  // namespace

void CommandLine::add_general(Verb& verb) {
  verb.set_help_flag("-h,--help", "Print examples and the common options")->group(kGeneralGroup);
  verb.set_help_all_flag("--help-all", "Print all options")->group(kGeneralGroup);
  add_list(verb, "--plugin", settings.plugins, "FILE",
           "Load a plugin, in addition to those in KITBAG_PLUGIN_PATH")
      ->allow_extra_args(false)
      ->group(kGeneralGroup);
}

std::unique_ptr<CommandLine> make_command_line(std::string_view wanted) {
  auto line = std::make_unique<CommandLine>();
  line->wanted = wanted;
  CLI::App& app = line->app;
  app.set_version_flag("--version", "kitbag " KITBAG_VERSION);
  app.set_help_flag("-h,--help");
  app.set_help_all_flag("--help-all");
  app.require_subcommand(0, 1);
  for (const VerbAdder& verb : kVerbs) {
    if (verb.name.empty() || line->wants(verb.name)) verb.add(*line);
  }
  return line;
}

ParsedCommand parse_command(const std::vector<std::string>& given) {
  const std::vector<std::string> arguments = without_help_verb(given);
  if (auto command = parse_peer_command(arguments)) return std::move(*command);
  if (arguments.empty()) {
    return {print_and_exit(program_help(make_command_line()->app, false), kFailed), {}};
  }
  if (arguments.front() == kCompleteOption) {
    return {print_completion_of(behind_first(arguments)), {}};
  }
  if (arguments.front() == kManPagesOption) {
    if (arguments.size() != 2) throw_invalid(fmt::format("{} takes a folder", kManPagesOption));
    return {write_man_pages(arguments[1]), {}};
  }
  if (arguments.front() == kBatchServeOption) return batch_server(behind_first(arguments));
  if (arguments.front() == kBatchTaskOption) return batch_task_command(behind_first(arguments));
  std::unique_ptr<CommandLine> line = make_command_line(arguments.front());
  // No verb has this name. All are declared then, so that the error can name one that is similar.
  if (line->app.get_subcommands({}).empty()) line = make_command_line();
  CLI::App& app = line->app;
  require_known_verb(app, arguments);
  // Behind require_known_verb(), since the names of options depend on the verb.
  std::vector<std::string> reversed = with_our_names(arguments);
  std::reverse(reversed.begin(), reversed.end());  // CLI11 pops its back
  std::transform(reversed.begin(), reversed.end(), reversed.begin(), marked);
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return {print_help(app, false), {}};
  } catch (const CLI::CallForAllHelp&) {
    return {print_help(app, true), {}};
  } catch (const CLI::CallForVersion& version) {
    return {print_and_exit(std::string(version.what()) + "\n", kDone), {}};
  } catch (const CLI::ExtrasError&) {
    const Verb* verb = given_verb(app);
    throw_usage(app, verb ? extra_words_text(*verb) : unknown_word_text(app));
  } catch (const CLI::ParseError& error) {
    const Verb* verb = given_verb(app);
    if (!verb) throw_usage(app, error.what());
    // An option with a typing error may be why something is missing.
    throw_usage(app, has_unknown_option(*verb) ? extra_words_text(*verb)
                                               : too_few_text(*verb, error, arguments));
  }
  if (!line->command) throw_usage(app, "no verb given");
  return {line->command, line->settings};
}

}  // namespace kitbag::cli
