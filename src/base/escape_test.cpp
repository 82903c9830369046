#include "kitbag/escape.h"

#include <gtest/gtest.h>

#include "base/printable.h"
#include "base/utf8.h"

namespace kitbag {
namespace {

using namespace std::string_view_literals;

TEST(Escape, PrintableTextStays) {
  for (std::string_view text :
       {"", "/camera/front \"left\"", "Stra\u00dfe \u2192 \u6771\u4eac \U0001f916",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\U0001f469\u200d\U0001f680"}) {
    EXPECT_EQ(escaped(text), text);
  }
}

TEST(Escape, WhatATerminalObeysIsShown) {
  EXPECT_EQ(escaped("\x1b[31mred\x1b]0;title\a"), "\\x1b[31mred\\x1b]0;title\\x07");
  EXPECT_EQ(escaped("a\nb\rc\td"), "a\\nb\\rc\\td");
  EXPECT_EQ(escaped("nul\0del\x7f"sv), "nul\\x00del\\x7f");
  EXPECT_EQ(escaped("\xc2\x9b"
                    "31m"),
            "\\u009b31m");
}

TEST(Escape, WhatHidesOrReordersIsShown) {
  EXPECT_EQ(escaped("\u202egpj.\u202c"), "\\u202egpj.\\u202c");
  EXPECT_EQ(escaped("a\u2066b\u2069\u2028\u2029"), "a\\u2066b\\u2069\\u2028\\u2029");
  EXPECT_EQ(escaped("\u200b\ufeff\U000e0041"), "\\u200b\\ufeff\\U000e0041");
}

TEST(Escape, BytesThatAreNotUtf8AreShown) {
  EXPECT_EQ(escaped("caf\xe9 \x9b!"), "caf\\xe9 \\x9b!");
  EXPECT_EQ(escaped("\xc0\xaf"), "\\xc0\\xaf");           // too long a form
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a pair
  EXPECT_EQ(escaped("\xe2\x82"), "\\xe2\\x82");           // cut off
}

TEST(Escape, NoTwoTextsLookAlike) {
  EXPECT_EQ(escaped("\\x1b"), "\\\\x1b");
  EXPECT_NE(escaped("\\n"), escaped("\n"));
  EXPECT_NE(escaped("\xc2\x9b"), escaped("\x9b"));
}

TEST(Escape, LinesStayLines) {
  EXPECT_EQ(escaped_lines("int32 x\t# \\d\n\x1b[2J\r\n"), "int32 x\t# \\d\n\\x1b[2J\r\n");
  EXPECT_EQ(escaped_lines("int32 x\rint8 x\r"), "int32 x\\x0dint8 x\\x0d");
}

TEST(Escape, JsonHasTheSameValueForEveryReader) {
  EXPECT_EQ(json_quoted("a\"b\\c\n\x1b\x7f"), R"("a\"b\\c\n\u001b\u007f")");
  EXPECT_EQ(json_quoted("\u009b\u202e\U000e0041\u00e9"), "\"\\u009b\\u202e\\udb40\\udc41\u00e9\"");
  std::size_t replaced = 0;
  EXPECT_EQ(json_quoted("caf\xe9\xff", &replaced), "\"caf\ufffd\ufffd\"");
  EXPECT_EQ(replaced, 2U);
}

TEST(Escape, InvalidBytesAreReplacedAndCounted) {
  std::size_t replaced = 0;
  EXPECT_EQ(valid_utf8("a\x1b\\\"\xe9z", &replaced), "a\x1b\\\"\ufffdz");
  EXPECT_EQ(replaced, 1U);
}

TEST(Escape, EveryCharacterAtEveryPlaceOfAWord) {
  for (char32_t character = 0; character < 0x3000; ++character) {
    for (std::size_t place : {0U, 3U, 7U, 8U, 15U}) {
      std::string text(place, '-');
      append_utf8(text, character);
      text += std::string(16 - place, '-');
      bool is_same = is_printable(character) && character != '\\';
      EXPECT_EQ(escaped(text) == text, is_same) << static_cast<std::uint32_t>(character);
    }
  }
}

TEST(ValidUtf8, KeepsWhatIsValid) {
  for (const char* text : {"", "plain", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\xa4\x96",
                           "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(valid_utf8(text), text);
  }
}

TEST(ValidUtf8, ReplacesEachByteThatIsNot) {
  const std::string mark = "\xef\xbf\xbd";
  EXPECT_EQ(valid_utf8("a\xff"), "a" + mark);
  EXPECT_EQ(valid_utf8("\xc3"), mark);
  EXPECT_EQ(valid_utf8("\xc3("), mark + "(");
  EXPECT_EQ(valid_utf8("\xc0\xaf"), mark + mark);                        // longer than needed
  EXPECT_EQ(valid_utf8("\xed\xa0\x80"), mark + mark + mark);             // half a surrogate pair
  EXPECT_EQ(valid_utf8("\xf4\x90\x80\x80"), mark + mark + mark + mark);  // beyond U+10FFFF
  EXPECT_EQ(valid_utf8("\xe2\x82"), mark + mark);
}

TEST(ShownPath, HidesWhatGivesAccess) {
  EXPECT_EQ(shown_path("https://me:word@h:1/a%20b.bag?X-Amz-Signature=ab&versionId=2&x#y"),
            "https://h:1/a%20b.bag?X-Amz-Signature=...&versionId=2&x#y");
  EXPECT_EQ(shown_path("http://h/a@b"), "http://h/a@b");
  for (const char* path : {"a?Signature=1", "s3://b/k?X-Amz-Signature=1", "", "http:/x?a=b"}) {
    EXPECT_EQ(shown_path(path), path);
  }
}

}  // namespace
}  // namespace kitbag
