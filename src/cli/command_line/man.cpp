#include "cli/command_line/man.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "cli/command_line/help_page.h"

// A line of man(7) that begins with a dot or an apostrophe is a request, and a backslash begins an
// escape; so these are written by escapes of their own. A hyphen is written as \- where it is to be
// copied.

namespace kitbag::cli {
namespace {

/// A text that is filled into lines.
std::string text_of(std::string_view text) {
  std::string made;
  for (char letter : text) {
    bool begins_line = made.empty() || made.back() == '\n';
    if (begins_line && (letter == '.' || letter == '\'')) made += "\\&";
    if (letter == '\\') {
      made += "\\e";
    } else if (letter == '-') {
      made += "\\-";
    } else {
      made += letter;
    }
  }
  return made;
}

/// Lines that stay as they are.
std::string lines_of(std::string_view lines) {
  return ".nf\n" + text_of(lines) + "\n.fi\n";
}

std::string in_capitals(std::string text) {
  std::ranges::transform(text, text.begin(), [](char letter) {
    return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  });
  return text;
}

/// "kitbag-cut" for "kitbag cut".
std::string page_name(const std::string& name) {
  std::string made = name;
  std::ranges::replace(made, ' ', '-');
  return made;
}

/// Paragraphs, with an empty line between them.
std::string paragraphs_of(std::string_view text) {
  std::string made;
  while (!text.empty()) {
    std::size_t end = std::min(text.find("\n\n"), text.size());
    if (!made.empty()) made += ".PP\n";
    made += text_of(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 2, text.size()));
    // An empty line would be one in the page, beside the distance that .PP makes.
    while (made.ends_with("\n\n")) made.pop_back();
  }
  return made;
}

/// man(1) takes the name and the summary from this line: "name \- what it does".
std::string summary_of(std::string text) {
  if (text.ends_with('.')) text.pop_back();
  std::string_view kSubject = "kitbag ";
  if (text.starts_with(kSubject)) text.erase(0, kSubject.size());
  return text;
}

ManPage man_page(const HelpPage& page, const std::string& see_also) {
  std::string name = page_name(page.name);
  std::string text = fmt::format(".TH {} 1 \"\" \"kitbag {}\" \"kitbag\"\n",
                                 in_capitals(text_of(name)), KITBAG_VERSION);
  text += fmt::format(".SH NAME\n{} \\- {}\n", text_of(name), text_of(summary_of(page.summary)));
  text += fmt::format(".SH SYNOPSIS\n.B {}\n{}\n", page.name, text_of(page.usage));
  text += ".SH DESCRIPTION\n" + text_of(page.summary) + "\n";
  if (!page.more.empty()) text += text_of(page.more) + "\n";
  for (const HelpSection& section : page.sections) {
    text += ".SH " + in_capitals(section.title) + "\n";
    for (const HelpEntry& entry : section.entries) {
      text += fmt::format(".TP\n.B {}\n{}\n", text_of(entry.name), text_of(entry.text));
    }
  }
  if (!page.end.empty()) text += ".SH NOTES\n" + paragraphs_of(page.end);
  text += ".SH EXAMPLES\n" + lines_of(page.examples);
  text += ".SH SEE ALSO\n" + see_also + "\n";
  return {name + ".1", text};
}

std::string reference(const std::string& name) {
  return fmt::format(".BR {} (1)", text_of(page_name(name)));
}

}  // namespace

std::vector<ManPage> man_pages(const CLI::App& app) {
  std::vector<ManPage> pages;
  std::string all;
  for (const CLI::App* verb : app.get_subcommands({})) {
    HelpPage page = verb_page(static_cast<const Verb&>(*verb), true);
    pages.push_back(man_page(page, reference("kitbag")));
    all += (all.empty() ? "" : " ,\n") + reference(page.name);
  }
  pages.push_back(man_page(program_page(app, true), all));
  return pages;
}

}  // namespace kitbag::cli
