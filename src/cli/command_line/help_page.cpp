#include "cli/command_line/help_page.h"

#include <string_view>

namespace kitbag::cli {
namespace {

constexpr char kProgramSummary[] =
    "kitbag records, plays, reads, writes, cuts, compares and repairs robot message logs (bags).";

constexpr char kProgramExamples[] =
    R"(  kitbag record --from 'demo://?seconds=5' -o run.bag
  kitbag cut run.bag short.bag --start +1s --duration 2s)";

constexpr char kProgramEnd[] =
    R"(kitbag VERB --help, or kitbag help VERB, shows examples and the common options of a verb;
kitbag VERB --help-all shows all its options. kitbag --version prints the version.
)";

constexpr char kProgramNotes[] =
    R"(Exit codes: 0 success; 1 damage in a bag has cost messages or may have, diff found a
difference, or check found damage; 2 failure.

The folders in KITBAG_PLUGIN_PATH are searched for plugins at every start; --plugin FILE loads one
more. A plugin in these folders that cannot be loaded is skipped with a warning.

kitbag --man-pages DIR writes the manual pages, kitbag.1 and one for each verb, into a folder.
)";

/// The syntax of values that many options take, by the placeholder of the value in the help.
struct ValueText {
  std::string_view word;
  const char* text;
};
/// Of verbs without a range of time in bags.
constexpr char kAbsoluteTimeText[] =
    "1700000000.25 (seconds since 1970) or 2026-11-20T14:30:00Z (UTC)";
constexpr ValueText kValues[] = {
    {"TIME",
     "1700000000.25 (seconds since 1970) or 2026-11-20T14:30:00Z (UTC); +5s is relative to the "
     "start of the bags, -5s to their end. The start of a bag in a pipe (-) is the log time of its "
     "first message."},
    {"DURATION",
     "A number with a unit (ns, us, ms, s, m, min, h, d): 500ms, 5s, 1.5h. Without a unit: s."},
    {"SIZE",
     "A number with a unit (kB, MB, GB, TB: powers of 1000; KiB, MiB, GiB, TiB: powers of 1024): "
     "500kB, 64MiB. Without a unit: bytes."},
};

using Options = std::vector<const CLI::Option*>;

void add_section(HelpPage& page, const std::string& title, const Options& options) {
  if (options.empty()) return;
  HelpSection& section = page.sections.emplace_back(HelpSection{title});
  for (const CLI::Option* option : options) {
    const std::string& value = option->get_option_text();
    std::string name = value;
    if (option->nonpositional()) {
      name = option->get_name(false, true) + (value.empty() ? "" : " " + value);
    }
    section.entries.push_back({name, option->get_description()});
  }
}

Options arguments_of(const Verb& verb) {
  return verb.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

Options options_in(const Verb& verb, const std::string& group) {
  return verb.get_options([&group](const CLI::Option* option) {
    return option->nonpositional() && option->get_group() == group;
  });
}

void add_common_options(HelpPage& page, const Verb& verb) {
  add_section(page, "Common options", verb.get_options([&verb](const CLI::Option* option) {
    return verb.is_common(option);
  }));
  page.end = page.name + " --help-all lists all options.\n";
}

void add_all_options(HelpPage& page, const Verb& verb) {
  for (const std::string& group : verb.get_groups()) {
    if (group != kGeneralGroup) add_section(page, group, options_in(verb, group));
  }
  add_section(page, kGeneralGroup, options_in(verb, kGeneralGroup));
  HelpSection values{.title = "Values", .entries = {}, .kind = HelpSection::Kind::values};
  for (const ValueText& value : kValues) {
    auto takes_it = [&value](const CLI::Option* option) {
      return option->get_option_text().find(value.word) != std::string::npos;
    };
    if (verb.get_options(takes_it).empty()) continue;
    bool is_absolute = value.word == "TIME" && !verb.get_option_no_throw("--start");
    values.entries.push_back(
        {std::string(value.word), is_absolute ? kAbsoluteTimeText : value.text});
  }
  if (!values.entries.empty()) page.sections.push_back(std::move(values));
  std::string notes = verb.text().notes;
  if (!notes.empty()) page.end = notes + "\n";
}

}  // namespace

HelpPage program_page(const CLI::App& app, bool has_all) {
  HelpPage page{.name = "kitbag",
                .summary = kProgramSummary,
                .more = "",
                .usage = "VERB [OPTIONS]",
                .examples = kProgramExamples,
                .sections = {},
                .end = kProgramEnd};
  // Verbs of a group are declared one after the other, so a new title begins a new section.
  for (const CLI::App* verb : app.get_subcommands({})) {
    if (page.sections.empty() || page.sections.back().title != verb->get_group()) {
      page.sections.push_back({verb->get_group(), {}, HelpSection::Kind::verbs});
    }
    page.sections.back().entries.push_back({verb->get_name(), verb->get_description()});
  }
  if (has_all) page.end += std::string("\n") + kProgramNotes;
  return page;
}

HelpPage verb_page(const Verb& verb, bool has_all) {
  const VerbText& text = verb.text();
  HelpPage page{.name = "kitbag " + verb.get_name(),
                .summary = text.summary,
                .more = text.more,
                .usage = "[OPTIONS]",
                .examples = text.examples,
                .sections = {},
                .end = ""};
  for (const CLI::Option* argument : arguments_of(verb)) {
    page.usage += " " + argument->get_option_text();
  }
  add_section(page, "Arguments", arguments_of(verb));
  has_all ? add_all_options(page, verb) : add_common_options(page, verb);
  return page;
}

}  // namespace kitbag::cli
