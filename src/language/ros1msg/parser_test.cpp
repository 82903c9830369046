#include "language/ros1msg/parser.h"

#include <gmock/gmock.h>

#include <random>

#include "language/ros1msg/md5.h"
#include "tests/support/thrown_by.h"

namespace kitbag::ros1msg {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kBlockSeparator = "\n" + std::string(80, '=') + "\n";

Definition parse_one(std::string_view text) {
  Definitions definitions = parse("pkg/Type", text);
  EXPECT_EQ(definitions.size(), 1U);
  return definitions.front();
}

std::vector<std::string> fields_of(const Definition& definition) {
  std::vector<std::string> found;
  for (const Field& each : definition.fields) {
    found.push_back(each.type + each.brackets + " " + each.name);
  }
  return found;
}

std::vector<std::string> constants_of(const Definition& definition) {
  std::vector<std::string> found;
  for (const Constant& each : definition.constants) {
    found.push_back(each.type + "|" + each.name + "|" + each.value);
  }
  return found;
}

/// The message of the error that `text` gives.
std::string refusal(std::string_view text) {
  Error error = test::thrown_by([&] { parse("pkg/Type", text); });
  EXPECT_EQ(error.code(), ErrorCode::corrupt);
  return error.message();
}

TEST(Parser, TakesFields) {
  Definition definition = parse_one(
      "# what it is\nint32 x\n\n  Header   header # stamped\r\n"
      "geometry_msgs/Point[] points\nuint8[16] id\n\tstring\tname");
  EXPECT_THAT(fields_of(definition),
              ElementsAre("int32 x", "Header header", "geometry_msgs/Point[] points",
                          "uint8[16] id", "string name"));
  EXPECT_THAT(definition.constants, IsEmpty());
  EXPECT_EQ(definition.fields[0].array, Array::none);
  EXPECT_EQ(definition.fields[2].array, Array::dynamic);
  EXPECT_EQ(definition.fields[3].array, Array::fixed);
  EXPECT_EQ(definition.fields[3].length, 16U);
}

TEST(Parser, TakesConstants) {
  Definition definition =
      parse_one("int32 X=123 # a comment\nfloat64   Y  =  -1.5e3\nbool ON=True\nbyte B = 0x10");
  EXPECT_THAT(constants_of(definition),
              ElementsAre("int32|X|123", "float64|Y|-1.5e3", "bool|ON|True", "byte|B|0x10"));
  EXPECT_EQ(definition.constants[1].declaration, "float64 Y=-1.5e3");
}

TEST(Parser, AStringConstantRunsToTheEndOfItsLine) {
  Definition definition = parse_one(
      "string A=x # no comment  \nstring B = = \"y\"\nstring EMPTY=\nstring HASH=#\nint8 z");
  EXPECT_THAT(constants_of(definition), ElementsAre("string|A|x # no comment", "string|B|= \"y\"",
                                                    "string|EMPTY|", "string|HASH|#"));
  EXPECT_THAT(fields_of(definition), ElementsAre("int8 z"));
}

TEST(Parser, AnEqualSignInACommentMakesNoConstant) {
  EXPECT_THAT(fields_of(parse_one("string name # = nothing\nint8 x #=")),
              ElementsAre("string name", "int8 x"));
}

TEST(Parser, AnEmptyTextIsAMessageWithoutFields) {
  EXPECT_THAT(parse_one("").fields, IsEmpty());
  EXPECT_THAT(parse_one("\n \n# nothing").fields, IsEmpty());
}

TEST(Parser, TakesWhatBagsHold) {
  std::string text = "A a\n" + kBlockSeparator + "MSG: pkg/A\nother/B[] b\n# end" +
                     kBlockSeparator + "MSG: other/B \r\nint8 X=1\n";
  Definitions definitions = parse("pkg/Type", text);
  ASSERT_EQ(definitions.size(), 3U);
  EXPECT_EQ(definitions[0].name, "pkg/Type");
  EXPECT_EQ(definitions[0].text, "A a\n");
  EXPECT_EQ(definitions[1].name, "pkg/A");
  EXPECT_EQ(definitions[1].text, "other/B[] b\n# end");
  EXPECT_EQ(definitions[2].name, "other/B");
  EXPECT_EQ(definitions[2].text, "int8 X=1\n");
}

TEST(Parser, AMainTextMayBeEmpty) {
  Definitions definitions = parse("pkg/Type", kBlockSeparator.substr(1) + "MSG: pkg/A\nint8 x");
  ASSERT_EQ(definitions.size(), 2U);
  EXPECT_EQ(definitions[0].text, "");
  EXPECT_EQ(definitions[1].text, "int8 x");
}

TEST(Parser, TheLastBlockMayEndWithItsName) {
  EXPECT_EQ(parse("pkg/Type", "A a" + kBlockSeparator + "MSG: pkg/A").back().text, "");
}

TEST(Parser, TellsTheLine) {
  EXPECT_EQ(refusal("int8 x\n\nint8"),
            "definition of pkg/Type, line 3: 'int8' is not a type and a name");
  EXPECT_THAT(refusal("int8 x" + kBlockSeparator + "MSG: a/B\nint8 y\nint8 y z"),
              HasSubstr("line 5"));
}

TEST(Parser, RefusesWhatIsNoDeclaration) {
  EXPECT_THAT(refusal("int8 x y"), HasSubstr("'int8 x y' is not a type and a name"));
  EXPECT_THAT(refusal("int8 2x"), HasSubstr("'2x' is not a valid field name"));
  EXPECT_THAT(refusal("a/b/C x"), HasSubstr("'a/b/C' is not a valid type"));
  EXPECT_THAT(refusal("/C x"), HasSubstr("'/C' is not a valid type"));
  EXPECT_THAT(refusal("string<=5 x"), HasSubstr("is not a valid constant"));
  EXPECT_THAT(refusal("int8 x\nint16 x"), HasSubstr("line 2: duplicate field 'x'"));
}

TEST(Parser, RefusesBrackets) {
  for (const char* wrong :
       {"int8[", "int8]", "int8[]]", "int8[3", "int8[-1]", "int8[+1]", "int8[x]", "int8[3][4]",
        "int8[][]", "int8[4294967296]", "[] ", "[3]"}) {
    EXPECT_THAT(refusal(wrong + std::string(" x")), HasSubstr("line 1")) << wrong;
  }
  EXPECT_EQ(parse_one("int8[4294967295] x").fields[0].length, 4294967295U);
}

TEST(Parser, RefusesConstants) {
  EXPECT_THAT(refusal("time T=1"), HasSubstr("'time T=1' is not a valid constant"));
  EXPECT_THAT(refusal("pkg/A T=1"), HasSubstr("is not a valid constant"));
  EXPECT_THAT(refusal("=1"), HasSubstr("is not a valid constant"));
  EXPECT_THAT(refusal("int8 =1"), HasSubstr("has no name"));
  EXPECT_THAT(refusal("string=1"), HasSubstr("has no name"));
  EXPECT_THAT(refusal("int8 X="), HasSubstr("has no value"));
  EXPECT_THAT(refusal("int8 X=1=2"), HasSubstr("has no value"));
}

TEST(Parser, RefusesABlockWithoutItsName) {
  EXPECT_THAT(refusal("int8 x" + kBlockSeparator + "int8 y"), HasSubstr("'MSG: package/Type'"));
  EXPECT_THAT(refusal("int8 x" + kBlockSeparator), HasSubstr("'MSG: package/Type'"));
  EXPECT_THAT(refusal("int8 x" + kBlockSeparator + "MSG: a b"),
              HasSubstr("'a b' is not a valid message name"));
  EXPECT_THAT(refusal("int8 x" + kBlockSeparator + "MSG:"),
              HasSubstr("'' is not a valid message name"));
}

TEST(Parser, ShowsForeignBytesHarmlessly) {
  std::string message = refusal("\x1b[2J\xff " + std::string(1000, 'x'));
  EXPECT_THAT(message, HasSubstr("'?[2J?' is not a valid type"));
  EXPECT_LT(refusal(std::string(1000, 'x')).size(), 200U);
}

TEST(Parser, HasLimits) {
  EXPECT_THAT(refusal(std::string(kMaxTextBytes + 1, ' ')), HasSubstr("bytes"));
  std::string many;
  for (std::size_t i = 0; i <= kMaxDefinitions; ++i) many += kBlockSeparator + "MSG: a/B";
  EXPECT_THAT(refusal(many), HasSubstr("more than 4096 messages"));
  std::string fields;
  for (std::size_t i = 0; i <= kMaxDeclarations; ++i) fields += "int8 A=1\n";
  EXPECT_THAT(refusal(fields), HasSubstr("fields and constants"));
}

TEST(Names, OfTypes) {
  EXPECT_TRUE(is_builtin("uint8"));
  EXPECT_TRUE(is_builtin("duration"));
  EXPECT_FALSE(is_builtin("Header"));
  EXPECT_FALSE(is_builtin(""));
  EXPECT_EQ(package_of("a/B"), "a");
  EXPECT_EQ(package_of("B"), "");
}

TEST(Names, WhatATypeMeans) {
  auto meant = [](std::string_view text) { return meanings(parse_one(text).fields[0], "pkg"); };
  EXPECT_THAT(meant("Point p"), ElementsAre("pkg/Point"));
  EXPECT_THAT(meant("a/Point[3] p"), ElementsAre("a/Point"));
  EXPECT_THAT(meant("Header h"), ElementsAre("std_msgs/Header", "roslib/Header", "pkg/Header"));
  EXPECT_THAT(meant("Header[] h"), ElementsAre("pkg/Header", "std_msgs/Header", "roslib/Header"));
  EXPECT_THAT(meant("roslib/Header h"), ElementsAre("roslib/Header", "std_msgs/Header"));
  EXPECT_THAT(meanings(parse_one("Point p").fields[0], ""), ElementsAre("Point"));
}

TEST(Names, TheLastDefinitionOfANameCounts) {
  Definitions definitions = parse("pkg/Type", "A a" + kBlockSeparator + "MSG: pkg/A\nint8 x" +
                                                  kBlockSeparator + "MSG: pkg/A\nint8 y");
  const Definition& user = definitions.front();
  EXPECT_EQ(find(by_name(definitions), user.fields[0], user), &definitions[2]);
}

/// Neither crashes nor hangs on anything: an Error, or definitions that make sense.
void expect_survives(const std::string& text) {
  try {
    Definitions definitions = parse("pkg/Type", text);
    for (const Definition& each : definitions) {
      EXPECT_LE(each.text.size(), text.size());
      for (const Field& field : each.fields) EXPECT_FALSE(field.type.empty());
    }
    md5sum_v1(definitions);
    EXPECT_EQ(md5sum(definitions).size(), 32U);
  } catch (const Error& error) {
    EXPECT_FALSE(error.message().empty());
  }
}

TEST(ParserFuzz, RandomBytes) {
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string text(random() % 200, '\0');
    for (char& c : text) c = static_cast<char>(random());
    expect_survives(text);
  }
}

TEST(ParserFuzz, RandomWords) {
  const std::vector<std::string> words = {
      "int8", "string", " ",      "\t",  "\n",   "\n",    "=", "#", "[]",  "[3",
      "]",    "x",      "Header", "a/B", "MSG:", "MSG: ", "/", "é", "999", kBlockSeparator};
  std::mt19937 random(2);
  for (int i = 0; i < 30'000; ++i) {
    std::string text;
    for (auto n = random() % 40; n > 0; --n) text += words[random() % words.size()];
    expect_survives(text);
  }
}

TEST(ParserFuzz, MutatedDefinitions) {
  const std::string good = "Header header\nuint8 A=1 # one\nstring S=a # b\nPoint[] points\n" +
                           kBlockSeparator + "MSG: std_msgs/Header\nuint32 seq\ntime stamp\n" +
                           kBlockSeparator + "MSG: pkg/Point\nfloat64[3] x\nHeader h\n";
  EXPECT_EQ(md5sum(parse("pkg/Type", good)).size(), 32U);
  std::mt19937 random(3);
  for (int i = 0; i < 30'000; ++i) {
    std::string text = good;
    for (auto n = random() % 4; n > 0; --n) {
      std::size_t at = random() % text.size();
      if (random() % 2) text[at] = static_cast<char>(random());
      if (random() % 4 == 0) text.erase(at, random() % 90);
      if (random() % 4 == 0) text.insert(at, good.substr(random() % good.size(), random() % 120));
      if (text.empty()) text = good;
    }
    expect_survives(text);
  }
}

}  // namespace
}  // namespace kitbag::ros1msg
