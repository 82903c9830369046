#include "cli/command_line/unknown_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "kitbag/text.h"

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

}  // namespace

std::string unknown_verb_text(const CLI::App& app, const std::string& name) {
  std::vector<std::string> known = {kHelpVerb};
  for (const CLI::App* verb : app.get_subcommands({})) known.push_back(verb->get_name());
  return fmt::format("unknown verb \"{}\"{}", name, similar_text(name, known));
}

std::string unknown_option_text(const CLI::App& verb, const std::string& otherwise) {
  std::vector<std::string> words = verb.remaining();
  auto option = std::find_if(words.begin(), words.end(), [](const std::string& word) {
    return word.size() > 1 && word.starts_with('-');
  });
  if (option == words.end()) return otherwise;
  std::string name = option->substr(0, option->find('='));
  return fmt::format("unknown option {}{}", name, similar_options(verb, name));
}

}  // namespace kitbag::cli
