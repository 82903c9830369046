#include "cli/command_line/help.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace kitbag::cli {
namespace {

std::vector<const Verb*> verbs_of(const CommandLine& line) {
  std::vector<const Verb*> verbs;
  for (const CLI::App* verb : line.app.get_subcommands({})) {
    verbs.push_back(static_cast<const Verb*>(verb));
  }
  return verbs;
}

std::vector<const CLI::Option*> options_of(const Verb& verb) {
  return verb.get_options([](const CLI::Option* option) { return option->nonpositional(); });
}

/// `help` has a line for an option.
bool lists(const std::string& help, const CLI::Option& option) {
  std::string begin = "\n  " + option.get_name(false, true);
  return help.find(begin + " ") != std::string::npos ||
         help.find(begin + "\n") != std::string::npos;
}

TEST(Help, AllListsEveryOptionThatIsAccepted) {
  auto line = make_command_line();
  for (const Verb* verb : verbs_of(*line)) {
    std::string all = verb_help(*verb, true);
    for (const CLI::Option* option : options_of(*verb)) {
      EXPECT_TRUE(lists(all, *option)) << verb->get_name() << " " << option->get_name();
    }
  }
}

TEST(Help, AVerbThatIsAddedAloneIsTheSame) {
  auto line = make_command_line();
  for (const Verb* verb : verbs_of(*line)) {
    auto alone = make_command_line(verb->get_name());
    ASSERT_EQ(verbs_of(*alone).size(), 1U) << verb->get_name();
    EXPECT_EQ(verb_help(*verbs_of(*alone).front(), true), verb_help(*verb, true));
  }
  EXPECT_TRUE(verbs_of(*make_command_line("no verb")).empty());
}

TEST(Help, ShowsTheCommonOptionsOrAll) {
  auto line = make_command_line();
  for (const Verb* verb : verbs_of(*line)) {
    std::string help = verb_help(*verb, false);
    bool is_whole = help == verb_help(*verb, true);
    for (const CLI::Option* option : options_of(*verb)) {
      EXPECT_EQ(lists(help, *option), is_whole || verb->is_common(option))
          << verb->get_name() << " " << option->get_name();
    }
  }
}

TEST(Help, AShortVerbShowsAll) {
  SessionSettings settings;
  Verb verb("look", {.summary = "Look.", .examples = "  kitbag look"}, settings);
  bool flag = false;
  verb.add_flag("--rare", flag, "Look twice");
  EXPECT_EQ(verb_help(verb, false), verb_help(verb, true));
  EXPECT_NE(verb_help(verb, false).find("--rare"), std::string::npos);
}

TEST(Help, ALongVerbShowsWhatIsCommon) {
  SessionSettings settings;
  Verb verb("look", {.summary = "Look.", .examples = "  kitbag look"}, settings);
  bool flag = false;
  for (int i = 0; i < 50; ++i) verb.add_flag("--rare" + std::to_string(i), flag, "Look twice");
  verb.common(verb.add_flag("--often", flag, "Look once"));
  EXPECT_EQ(verb_help(verb, false),
            "Look.\nUsage: kitbag look [OPTIONS]\n\nExamples:\n  kitbag look\n\n"
            "Common options:\n  --often                         Look once\n\n"
            "kitbag look --help-all lists all options.\n");
}

TEST(Help, BreaksTextsIntoLines) {
  SessionSettings settings;
  Verb verb("look", {.summary = "Look.", .examples = "  kitbag look"}, settings);
  bool flag = false;
  std::string text;
  for (int i = 0; i < 30; ++i)
    text += (i == 0 ? "" : " ") + std::string("word") + std::to_string(i);
  verb.add_flag("--with-a-name-that-leaves-no-place-for-it", flag, text);
  std::string help = verb_help(verb, true);
  EXPECT_NE(help.find("no-place-for-it\n                                  word0 word1 word2"),
            std::string::npos);
  std::string words = help.substr(help.find("word0"));
  EXPECT_NE(words.find('\n'), words.size() - 1);  // more than one line
  for (std::size_t at = 0; at < words.size();) {
    std::size_t end = words.find('\n', at);
    EXPECT_LE(end - at, 100U);
    EXPECT_NE(words[end - 1], ' ');
    at = end + 1;
  }
  std::erase(words, '\n');
  std::string::iterator last =
      std::unique(words.begin(), words.end(), [](char a, char b) { return a == ' ' && b == ' '; });
  words.erase(last, words.end());
  EXPECT_EQ(words, text);  // nothing is lost
}

}  // namespace
}  // namespace kitbag::cli
