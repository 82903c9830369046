#include "cli/command_line/help.h"

#include <algorithm>
#include <string_view>

#include "cli/command_line/help_page.h"

// Help is at most 100 columns wide, or as wide as the terminal: names on the left, explanations on
// the right, or below the names where that is too narrow. Texts are declared in one piece, with the
// option, and broken into lines here. What is declared in lines has lines of 100 columns, which are
// broken again for a terminal that is narrower; examples with a backslash, so that they can be
// copied.

namespace kitbag::cli {
namespace {

constexpr std::size_t kLeastColumns = 40;
constexpr std::size_t kLeastForTwoSides = 72;  ///< names and explanations beside each other
constexpr std::size_t kScreenLines = 40;

std::string_view take_until(std::string_view& text, char end) {
  std::string_view part = text.substr(0, text.find(end));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

/// Adds `text` to `help`, whose last line is `line` so far, in lines that begin at `indent`.
void add_words(std::string& help, std::string line, std::string_view text, std::size_t indent,
               std::size_t columns) {
  bool is_empty = true;
  while (!text.empty()) {
    std::string_view word = take_until(text, ' ');
    if (is_empty && word.empty()) continue;
    if (!is_empty && line.size() + 1 + word.size() > columns) {
      help += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
      line.assign(indent, ' ');
      is_empty = true;
    }
    if (!is_empty) line += ' ';
    line += word;
    is_empty = false;
  }
  help += line + "\n";
}

/// One line of a list: `name`, and `text` beside it from `column` on, or below it if `name` is
/// long.
void add_entry(std::string& help, const std::string& name, std::string_view text,
               std::size_t column, std::size_t columns) {
  std::string line = "  " + name;
  if (line.size() + 2 > column) {
    help += line + "\n";
    line.clear();
  }
  line.resize(column, ' ');
  add_words(help, std::move(line), text, column, columns);
}

/// Paragraphs for fewer columns than they were written for; lines with an indent stay lines.
std::string narrowed(std::string_view text, std::size_t columns) {
  if (columns >= kMostHelpColumns) return std::string(text);
  std::string narrow;
  std::string paragraph;
  auto end_paragraph = [&] {
    if (!paragraph.empty()) add_words(narrow, {}, paragraph, 0, columns);
    paragraph.clear();
  };
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    if (line.empty() || line.starts_with(' ')) {
      end_paragraph();
      std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
      add_words(narrow, std::string(indent, ' '), line.substr(indent), indent + 4, columns);
    } else {
      paragraph += (paragraph.empty() ? "" : " ") + std::string(line);
    }
  }
  end_paragraph();
  return narrow;
}

/// Command lines, which go on in the next line behind a backslash, between words of the shell.
std::string narrowed_examples(std::string_view text, std::size_t columns) {
  constexpr std::string_view kGoesOn = " \\\n      ";
  std::string narrow;
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    std::size_t begin = narrow.size();  // of the line being made
    std::size_t space = 0;              // the last one in it that is outside quotes
    char quote = 0;
    for (char c : line) {
      if (quote ? c == quote : c == '\'' || c == '"') quote = quote ? 0 : c;
      narrow += c;
      if (narrow.size() - begin > columns - 2 && space > begin + 6 && columns < kMostHelpColumns) {
        // What came behind that space is on the new line now, which begins after the line break.
        narrow.replace(space, 1, kGoesOn);
        begin = space + 3;
        space = 0;
      }
      if (c == ' ' && !quote) space = narrow.size() - 1;
    }
    narrow += '\n';
  }
  return narrow;
}

std::size_t text_column(HelpSection::Kind kind, std::size_t columns) {
  switch (kind) {
    case HelpSection::Kind::verbs:
      return 14;
    case HelpSection::Kind::values:
      return 12;
    default:
      return columns < kLeastForTwoSides ? 8 : 34;
  }
}

std::string printed(const HelpPage& page, std::size_t columns) {
  columns = std::clamp(columns, kLeastColumns, kMostHelpColumns);
  std::string help = narrowed(page.summary + "\n", columns);
  if (!page.more.empty()) help += narrowed(page.more + "\n", columns);
  help += narrowed("Usage: " + page.name + " " + page.usage + "\n", columns);
  help += "\nExamples:\n" + narrowed_examples(page.examples, columns);
  for (const HelpSection& section : page.sections) {
    help += "\n" + section.title + ":\n";
    for (const HelpEntry& entry : section.entries) {
      add_entry(help, entry.name, entry.text, text_column(section.kind, columns), columns);
    }
  }
  return page.end.empty() ? help : help + "\n" + narrowed(page.end, columns);
}

}  // namespace

std::string verb_help(const Verb& verb, bool shows_all, std::size_t columns) {
  std::string all = printed(verb_page(verb, true), columns);
  // A verb with few options has one help: a second one that says little more is a detour.
  bool fits = std::count(all.begin(), all.end(), '\n') <= std::ptrdiff_t(kScreenLines);
  return shows_all || fits ? all : printed(verb_page(verb, false), columns);
}

std::string program_help(const CLI::App& app, bool shows_all, std::size_t columns) {
  return printed(program_page(app, shows_all), columns);
}

}  // namespace kitbag::cli
