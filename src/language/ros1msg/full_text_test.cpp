#include "language/ros1msg/full_text.h"

#include <gmock/gmock.h>

#include <map>

#include "language/ros1msg/parser.h"
#include "tests/support/thrown_by.h"

namespace kitbag::ros1msg {
namespace {

const std::string kNextBlock = "\n" + std::string(80, '=') + "\nMSG: ";

using Texts = std::map<std::string, std::string>;

std::string full(const std::string& text, const Texts& texts) {
  return full_text("a/Main", text, [&](const std::string& name) -> std::optional<std::string> {
    auto found = texts.find(name);
    if (found == texts.end()) return std::nullopt;
    return found->second;
  });
}

TEST(FullText, IsTheTextItselfWhereNothingIsNested) {
  EXPECT_EQ(full("int8 x # alone\n", {}), "int8 x # alone\n");
  EXPECT_EQ(full("", {}), "");
}

TEST(FullText, GoesDepthFirstAndTakesEachOnce) {
  Texts texts = {{"a/B", "C c\n"}, {"a/C", "int8 x\n"}, {"d/D", "a/C[] c\nE e"}, {"d/E", ""}};
  EXPECT_EQ(full("B b\nd/D d\nC c\nB again\n", texts),
            "B b\nd/D d\nC c\nB again\n" + kNextBlock + "a/B\nC c\n" + kNextBlock +
                "a/C\nint8 x\n" + kNextBlock + "d/D\na/C[] c\nE e" + kNextBlock + "d/E\n");
}

TEST(FullText, ParsesBackToWhatWentIn) {
  Texts texts = {{"a/B", "int8 x\n\n"}, {"std_msgs/Header", "uint32 seq"}};
  Definitions definitions = parse("a/Main", full("B b\nHeader h", texts));
  ASSERT_EQ(definitions.size(), 3U);
  EXPECT_EQ(definitions[0].text, "B b\nHeader h");
  EXPECT_EQ(definitions[1].text, texts["a/B"]);
  EXPECT_EQ(definitions[2].text, texts["std_msgs/Header"]);
}

TEST(FullText, TakesTheHeaderThatThereIs) {
  EXPECT_EQ(full("Header h", {{"roslib/Header", "x/Y y"}, {"x/Y", ""}}),
            "Header h" + kNextBlock + "roslib/Header\nx/Y y" + kNextBlock + "x/Y\n");
}

TEST(FullText, TellsWhatIsMissing) {
  Error error = test::thrown_by([] { full("B b", {{"a/B", "C c"}}); });
  EXPECT_EQ(error.code(), ErrorCode::not_found);
  EXPECT_EQ(error.message(), "definition of a/B: it uses C, which is missing");
}

TEST(FullText, RefusesWhatDoesNotParse) {
  EXPECT_EQ(test::thrown_by([] {
              full("B b", {{"a/B", "C"}});
            }).message(),
            "definition of a/B, line 1: 'C' is not a type and a name");
  EXPECT_THAT(test::thrown_by([] { full("B b" + kNextBlock + "a/B\n", {}); }).message(),
              testing::HasSubstr("it contains other definitions"));
}

TEST(FullText, EndsForTypesThatContainOneAnother) {
  EXPECT_EQ(full("B b", {{"a/B", "Main m"}, {"a/Main", "B b"}}),
            "B b" + kNextBlock + "a/B\nMain m" + kNextBlock + "a/Main\nB b");
}

TEST(FullText, HasLimits) {
  auto endless = [](const std::string& name) -> std::optional<std::string> {
    return "T" + name.substr(2) + "x f";
  };
  EXPECT_THAT(test::thrown_by([&] { full_text("a/T", "Tx f", endless); }).message(),
              testing::HasSubstr("more than 64 levels deep"));
  EXPECT_THAT(test::thrown_by([] {
                full("B b", {{"a/B", std::string(kMaxTextBytes, '\n')}});
              }).message(),
              testing::HasSubstr("bytes"));
}

}  // namespace
}  // namespace kitbag::ros1msg
