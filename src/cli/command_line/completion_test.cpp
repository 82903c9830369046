#include "cli/command_line/completion.h"

#include <gmock/gmock.h>

namespace kitbag::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> words_for(const std::vector<std::string>& line) {
  std::vector<std::string> words;
  for (const Candidate& each : complete(*make_command_line(), line, Session()).candidates) {
    words.push_back(each.word);
  }
  return words;
}

bool has_files(const std::vector<std::string>& line) {
  return complete(*make_command_line(), line, Session()).has_files;
}

TEST(Completion, AnOptionTakesOneValueOrAList) {
  EXPECT_THAT(words_for({"convert", "--order", "rev"}), ElementsAre("reverse_time"));
  EXPECT_TRUE(has_files({"convert", "--order", "time", ""}));
  EXPECT_FALSE(has_files({"convert", "--topics", "/a", "/b", ""}));
  EXPECT_TRUE(has_files({"convert", "--topics", "/a", "--force", ""}));
  EXPECT_TRUE(has_files({"convert", "--order=time", ""}));
}

TEST(Completion, AValueAfterAnEqualsSignKeepsTheOption) {
  EXPECT_THAT(words_for({"convert", "--order=rev"}), ElementsAre("--order=reverse_time"));
  EXPECT_THAT(words_for({"convert", "--nothing=rev"}), IsEmpty());
}

TEST(Completion, OptionsHaveShortAndLongNames) {
  EXPECT_THAT(words_for({"record", "-"}), Contains("-o"));
  EXPECT_THAT(words_for({"record", "--out"}), ElementsAre("--output"));
}

TEST(Completion, ArgumentsByTheirPlace) {
  EXPECT_TRUE(has_files({"list", ""}));
  EXPECT_THAT(words_for({"list", "no.bag", "top"}), ElementsAre("topics"));
  EXPECT_FALSE(has_files({"get", "no.bag", "attachment", ""}));
  EXPECT_TRUE(has_files({"repair", "no.bag", ""}));  // [OUT]
}

TEST(Completion, IsPrintedForShells) {
  EXPECT_EQ(print_completion({{{"/a", "x/Y"}, {"/b", "two\nlines"}}, true}),
            "files\n/a\tx/Y\n/b\ttwo\\nlines\n");
  EXPECT_EQ(print_completion({}), "words\n");
}

}  // namespace
}  // namespace kitbag::cli
