#pragma once

#include <string>
#include <vector>

#include "cli/command_line/verb.h"

// What --help and the manual pages say, before it is laid out. The texts are declared with the
// verbs and options; a page puts them into an order.

namespace kitbag::cli {

/// The group of the options that every verb has; it comes last.
inline constexpr char kGeneralGroup[] = "General";

/// A name, such as "--topics TOPIC...", and what it is for.
struct HelpEntry {
  std::string name;
  std::string text;
};

/// A title, and a list below it.
struct HelpSection {
  std::string title;
  std::vector<HelpEntry> entries = {};
  enum class Kind { options, verbs, values } kind = Kind::options;
};

/// The help of the program or of a verb.
struct HelpPage {
  std::string name;      ///< "kitbag" or "kitbag cut"
  std::string summary;   ///< one line
  std::string more;      ///< a sentence or two; may be empty
  std::string usage;     ///< behind the name
  std::string examples;  ///< lines, with an indent
  std::vector<HelpSection> sections;
  std::string end;  ///< paragraphs; may be empty
};

/// Everything about the program; without `has_all`, what most people need.
HelpPage program_page(const CLI::App& app, bool has_all);
/// Everything about a verb; without `has_all`, its common options.
HelpPage verb_page(const Verb& verb, bool has_all);

}  // namespace kitbag::cli
