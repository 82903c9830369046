#include "cli/command_line/help.h"

#include <algorithm>
#include <string_view>

#include "cli/command_line/help_page.h"

// Help is at most 100 columns wide: names on the left, explanations on the right. Texts are
// declared in one piece, with the option, and broken into lines here.

namespace kitbag::cli {
namespace {

constexpr std::size_t kColumns = 100;
constexpr std::size_t kScreenLines = 40;

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

std::size_t text_column(HelpSection::Kind kind) {
  switch (kind) {
    case HelpSection::Kind::verbs:
      return 14;
    case HelpSection::Kind::values:
      return 12;
    default:
      return 34;
  }
}

std::string printed(const HelpPage& page) {
  std::string help = page.summary;
  if (!page.more.empty()) help += "\n" + page.more;
  help += "\nUsage: " + page.name + " " + page.usage;
  help += "\n\nExamples:\n" + page.examples + "\n";
  for (const HelpSection& section : page.sections) {
    help += "\n" + section.title + ":\n";
    for (const HelpEntry& entry : section.entries) {
      add_entry(help, entry.name, entry.text, text_column(section.kind));
    }
  }
  return page.end.empty() ? help : help + "\n" + page.end;
}

}  // namespace

std::string verb_help(const Verb& verb, bool shows_all) {
  std::string all = printed(verb_page(verb, true));
  bool fits = std::count(all.begin(), all.end(), '\n') <= std::ptrdiff_t(kScreenLines);
  return shows_all || fits ? all : printed(verb_page(verb, false));
}

std::string program_help(const CLI::App& app, bool shows_all) {
  return printed(program_page(app, shows_all));
}

}  // namespace kitbag::cli
