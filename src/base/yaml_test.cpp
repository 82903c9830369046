#include "base/yaml.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kitbag/error.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::thrown_by;

TEST(Yaml, ReadsEveryKindOfValue) {
  Yaml root = load_yaml("a: 1\nb: [x, 'y z', \"\\u00e9\", ~]\nc:\n  d: |\n    text\n  e:\n");
  ASSERT_TRUE(root.is_map());
  EXPECT_EQ(unsigned_of(root["a"]), 1U);
  ASSERT_EQ(root["b"].parts.size(), 4U);
  EXPECT_EQ(root["b"].parts[1].scalar, "y z");
  EXPECT_EQ(root["b"].parts[2].scalar, "\u00e9");
  EXPECT_TRUE(root["b"].parts[3].is_null());
  EXPECT_EQ(root["c"]["d"].scalar, "text\n");
  EXPECT_TRUE(root["c"]["e"].is_null());
  EXPECT_EQ(root["c"].line, 4U);
  EXPECT_FALSE(root["none"]);
  EXPECT_FALSE(root["none"]["none"]);
  EXPECT_EQ(thrown_by([&] { root["a"]["none"]; }).code(), ErrorCode::corrupt);
  EXPECT_EQ(thrown_by([&] { root["b"]["none"]; }).code(), ErrorCode::corrupt);
  EXPECT_EQ(text_of(root["none"]), "");
}

TEST(Yaml, AnEmptyDocumentIsNothing) {
  for (const char* text : {"", "# only a comment\n", "---\n"}) {
    Yaml root = load_yaml(text);
    EXPECT_TRUE(!root || root.is_null()) << text;
  }
}

TEST(Yaml, IntegersMayBeNegative) {
  EXPECT_EQ(integer_of(load_yaml("-9223372036854775808")), INT64_MIN);
  EXPECT_EQ(integer_of(load_yaml("9223372036854775807")), INT64_MAX);
  EXPECT_EQ(thrown_by([] { integer_of(load_yaml("9223372036854775808")); }).code(),
            ErrorCode::corrupt);
}

TEST(Yaml, AliasesAreCopies) {
  Yaml root = load_yaml("a: &x {b: [1, 2]}\nc: *x\n");
  EXPECT_EQ(root["c"]["b"].parts.size(), 2U);
  EXPECT_EQ(print_yaml(root["c"]), print_yaml(root["a"]));
}

TEST(Yaml, AliasesThatMultiplyAreRefused) {
  std::string text = "a0: &a0 x\n";
  for (int level = 1; level < 30; ++level) {
    text += fmt::format("a{}: &a{} [*a{}, *a{}]\n", level, level, level - 1, level - 1);
  }
  EXPECT_EQ(thrown_by([&] { load_yaml(text); }).code(), ErrorCode::limit);
  std::string long_text = "a: &a " + std::string(1000, 'x') + "\nb: [";
  for (int i = 0; i < 1000; ++i) long_text += "*a, ";
  EXPECT_EQ(thrown_by([&] { load_yaml(long_text + "*a]\n"); }).code(), ErrorCode::limit);
}

TEST(Yaml, LimitsHold) {
  YamlLimits few = {.bytes = 1000, .values = 10, .depth = 4};
  EXPECT_NO_THROW(load_yaml("[a, b, c, d, [[[x]]]]", few));
  for (const std::string& text : {std::string("[a, b, c, d, e, f, g, h, i, j]"),
                                  std::string("[[[[[]]]]]"), std::string(1001, 'x')}) {
    EXPECT_EQ(thrown_by([&] { load_yaml(text, few); }).code(), ErrorCode::limit) << text;
  }
}

TEST(Yaml, WhatIsNoneIsAnErrorWithItsLine) {
  for (const char* text : {"a: 1\nb: [", "a: 1\n*unknown", "a: 1\n\"x", "a: &a [*a]"}) {
    Error error = thrown_by([&] { load_yaml(text); });
    EXPECT_EQ(error.code(), ErrorCode::corrupt) << text;
    EXPECT_TRUE(error.message().starts_with("line ")) << error.message();
  }
}

TEST(Yaml, NumbersAreNumbers) {
  EXPECT_EQ(unsigned_of(load_yaml("18446744073709551615")), UINT64_MAX);
  for (const char* text : {"-1", "1.5", "x", "18446744073709551616", "[1]", "''"}) {
    EXPECT_EQ(thrown_by([&] { unsigned_of(load_yaml(text)); }).code(), ErrorCode::corrupt) << text;
  }
}

}  // namespace
}  // namespace kitbag
