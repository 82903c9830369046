#include "cli/command_line/unknown_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "cli/command_line/values.h"
#include "kitbag/text.h"

// CLI11 says in words what it has missed, "IN...OUT: At least 1 required", and gives no other
// access to it. So its text is recognized by how it begins and ends. A text that another version
// words differently is printed as it is, which is less helpful and not wrong.

namespace kitbag::cli {
namespace {

constexpr std::size_t kMostSimilar = 3;

std::string similar_text(std::string_view name, const std::vector<std::string>& known) {
  auto nearest = nearest_texts(name, known, kMostSimilar);
  return nearest.empty() ? "" : fmt::format("; similar: {}", fmt::join(nearest, ", "));
}

std::string without_dashes(const std::string& option) {
  return option.substr(std::min(option.find_first_not_of('-'), option.size()));
}

/// The long options that look like `option`; letters are too short to look like another one.
std::string similar_options(const CLI::App& verb, const std::string& option) {
  std::string name = without_dashes(option);
  std::vector<std::string> known;
  for (const CLI::Option* each : verb.get_options()) {
    for (const std::string& long_name : each->get_lnames()) known.push_back(long_name);
  }
  auto nearest = nearest_texts(name, known, name.size() > 1 ? kMostSimilar : 0);
  return nearest.empty() ? "" : fmt::format("; similar: --{}", fmt::join(nearest, ", --"));
}

bool looks_like_option(const std::string& word) {
  return word.size() > 1 && word.starts_with('-');
}

/// The option that a text of CLI11 begins with, as in "--output: 1 required TEXT missing".
const CLI::Option* option_in(const CLI::App& verb, std::string_view text) {
  for (const CLI::Option* option : verb.get_options()) {
    if (text.starts_with(option->get_name() + ":")) return option;
  }
  return nullptr;
}

/// A list takes all words behind its option, also a file that was to be an argument.
std::string taken_word_text(const CLI::App& verb) {
  for (const CLI::Option* option : verb.get_options()) {
    bool is_list = option->get_option_text().find("...") != std::string::npos;
    if (!is_list || option->get_positional()) continue;
    // The words that CLI11 has given to the list; one that names a file was probably meant for the
    // verb.
    for (const std::string& result : option->results()) {
      std::string word = unmarked(result);
      std::error_code ignored;
      bool is_file = !word.starts_with('-') && std::filesystem::exists(word, ignored);
      if (!is_file) continue;
      return fmt::format("; {} was taken for a value of {}: put it first, or -- before it", word,
                         option->get_name());
    }
  }
  return {};
}

}  // namespace

std::string unknown_verb_text(const CLI::App& app, const std::string& name) {
  std::vector<std::string> known = {kHelpVerb};
  for (const CLI::App* verb : app.get_subcommands({})) known.push_back(verb->get_name());
  return fmt::format("unknown verb \"{}\"{}", name, similar_text(name, known));
}

std::string unknown_word_text(const CLI::App& verb) {
  std::vector<std::string> words = verb.remaining();
  auto option = std::find_if(words.begin(), words.end(), looks_like_option);
  if (option == words.end()) {
    return fmt::format("unexpected argument \"{}\"", fmt::join(words, " "));
  }
  std::string name = option->substr(0, option->find('='));
  return fmt::format("unknown option {}{}", name, similar_options(verb, name));
}

bool has_unknown_option(const CLI::App& verb) {
  std::vector<std::string> words = verb.remaining();
  return std::any_of(words.begin(), words.end(), looks_like_option);
}

std::string explained_words(const Verb& verb) {
  for (const std::string& word : verb.remaining()) {
    std::string text = verb.explain_word(word);
    if (!text.empty()) return text;
  }
  return {};
}

std::string too_few_text(const Verb& verb, const CLI::ParseError& error,
                         const std::vector<std::string>& given) {
  std::string text = error.what();
  if (text.starts_with(kInputsAndOutput)) {
    auto inputs = verb.get_option(kInputsAndOutput)->results();
    if (inputs.empty()) {
      return fmt::format("name a bag and the output: kitbag {} IN OUT{}", verb.get_name(),
                         taken_word_text(verb));
    }
    return fmt::format("name the output too: kitbag {} {} OUT, or -o OUT", verb.get_name(),
                       unmarked(inputs.front()));
  }
  if (text.starts_with(fmt::format("{}: ", kSourcesAndTarget))) {
    return fmt::format("name the target too: kitbag {} SRC... DST", verb.get_name());
  }
  const CLI::Option* option = option_in(verb, text);
  if (option && text.ends_with(" missing")) {
    for (const std::string& word : given) {
      if (word.starts_with('-') && option->check_name(word)) return word + " needs a value";
    }
  }
  if (text.ends_with(" is required")) text += taken_word_text(verb);
  return text;
}

}  // namespace kitbag::cli
