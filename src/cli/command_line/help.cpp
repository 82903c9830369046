#include "cli/command_line/help.h"

#include <algorithm>
#include <string_view>

// Help is at most 100 columns wide: names on the left, explanations on the right. Texts are
// declared in one piece, with the option, and broken into lines here.

namespace kitbag::cli {
namespace {

constexpr std::size_t kColumns = 100;
constexpr std::size_t kScreenLines = 40;
constexpr std::size_t kOptionColumn = 34;
constexpr std::size_t kVerbColumn = 14;
constexpr std::size_t kValueColumn = 12;

constexpr char kProgramSummary[] =
    "kitbag records, plays, reads, writes, cuts, compares and repairs robot message logs (bags).";

constexpr char kProgramExamples[] =
    R"(  kitbag record --from 'demo://?seconds=5' -o run.bag
  kitbag info run.bag
  kitbag cut run.bag short.bag --start +1s --duration 2s)";

constexpr char kProgramEnd[] =
    R"(kitbag VERB --help shows examples and the common options of a verb; kitbag VERB --help-all
shows all its options. kitbag --version prints the version.
)";

constexpr char kProgramNotes[] =
    R"(Exit codes: 0 success; 1 damage in a bag has cost messages or may have, diff found a
difference, or check found damage; 2 failure.

The folders in KITBAG_PLUGIN_PATH are searched for plugins at every start; --plugin FILE loads one
more. A plugin in these folders that cannot be loaded is skipped with a warning.
)";

/// The syntax of values that many options take, by the placeholder of the value in the help.
struct ValueText {
  std::string_view word;
  const char* text;
};
constexpr ValueText kValues[] = {
    {"TIME",
     "1700000000.25 (seconds since 1970) or 2026-11-20T14:30:00Z (UTC); +5s is relative to the "
     "start of the bags, -5s to their end. The start of a bag in a pipe (-) is the log time of its "
     "first message."},
    {"DURATION",
     "A number with a unit (ns, us, ms, s, m, h, d): 500ms, 5s, 1.5h. Without a unit: s."},
    {"SIZE",
     "A number with a unit (kB, MB, GB, TB: powers of 1000; KiB, MiB, GiB, TiB: powers of 1024): "
     "500kB, 64MiB. Without a unit: bytes."},
};

/// One line of a list: `name`, and `text` beside it from `column` on, or below it if `name` is
/// long.
void add_entry(std::string& help, const std::string& name, std::string_view text,
               std::size_t column) {
  std::string line = "  " + name;
  if (line.size() + 1 > column) {
    help += line + "\n";
    line.clear();
  }
  line.resize(column, ' ');
  bool is_empty = true;
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (!is_empty && line.size() + 1 + word.size() > kColumns) {
      help += line + "\n";
      line.assign(column, ' ');
      is_empty = true;
    }
    if (!is_empty) line += ' ';
    line += word;
    is_empty = false;
  }
  help += line + "\n";
}

void add_option(std::string& help, const CLI::Option& option) {
  const std::string& value = option.get_option_text();
  std::string name = value;
  if (option.nonpositional()) {
    name = option.get_name(false, true) + (value.empty() ? "" : " " + value);
  }
  add_entry(help, name, option.get_description(), kOptionColumn);
}

using Options = std::vector<const CLI::Option*>;

void add_group(std::string& help, const std::string& title, const Options& options) {
  if (options.empty()) return;
  help += "\n" + title + ":\n";
  for (const CLI::Option* option : options) add_option(help, *option);
}

Options arguments_of(const Verb& verb) {
  return verb.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

Options options_in(const Verb& verb, const std::string& group) {
  return verb.get_options([&group](const CLI::Option* option) {
    return option->nonpositional() && option->get_group() == group;
  });
}

/// The part before the arguments, which is the same for --help and --help-all.
std::string beginning_of(const Verb& verb) {
  const VerbText& text = verb.text();
  std::string help = text.summary;
  if (*text.more != '\0') help += std::string("\n") + text.more;
  help += "\nUsage: kitbag " + verb.get_name() + " [OPTIONS]";
  for (const CLI::Option* argument : arguments_of(verb)) help += " " + argument->get_option_text();
  help += std::string("\n\nExamples:\n") + text.examples + "\n";
  add_group(help, "Arguments", arguments_of(verb));
  return help;
}

std::string help_of_common(const Verb& verb) {
  std::string help = beginning_of(verb);
  add_group(help, "Common options", verb.get_options([&verb](const CLI::Option* option) {
    return verb.is_common(option);
  }));
  return help + "\nkitbag " + verb.get_name() + " --help-all lists all options.\n";
}

void add_values(std::string& help, const Verb& verb) {
  std::string values;
  for (const ValueText& value : kValues) {
    bool is_taken = !verb.get_options([&value](const CLI::Option* option) {
                           return option->get_option_text().find(value.word) != std::string::npos;
                         })
                         .empty();
    if (is_taken) add_entry(values, std::string(value.word), value.text, kValueColumn);
  }
  if (!values.empty()) help += "\nValues:\n" + values;
}

std::string help_of_all(const Verb& verb) {
  std::string help = beginning_of(verb);
  for (const std::string& group : verb.get_groups()) {
    if (group != kGeneralGroup) add_group(help, group, options_in(verb, group));
  }
  add_group(help, kGeneralGroup, options_in(verb, kGeneralGroup));
  add_values(help, verb);
  std::string notes = verb.text().notes;
  return notes.empty() ? help : help + "\n" + notes + "\n";
}

}  // namespace

std::string verb_help(const Verb& verb, bool shows_all) {
  std::string all = help_of_all(verb);
  bool fits = std::count(all.begin(), all.end(), '\n') <= std::ptrdiff_t(kScreenLines);
  return shows_all || fits ? all : help_of_common(verb);
}

std::string program_help(const CLI::App& app, bool shows_all) {
  std::string help = kProgramSummary;
  help += "\nUsage: kitbag VERB [OPTIONS]\n\nExamples:\n";
  help += kProgramExamples;
  help += "\n";
  std::string group;
  for (const CLI::App* verb : app.get_subcommands({})) {
    if (verb->get_group() != group) help += "\n" + (group = verb->get_group()) + ":\n";
    add_entry(help, verb->get_name(), verb->get_description(), kVerbColumn);
  }
  help += std::string("\n") + kProgramEnd;
  return shows_all ? help + "\n" + kProgramNotes : help;
}

}  // namespace kitbag::cli
