#include "base/utf8.h"

#include <gtest/gtest.h>

namespace kitbag {
namespace {

TEST(Utf8, RoundTripsAtItsBorders) {
  for (char32_t value : {U'\0', U'a', U'\x7f', U'\x80', U'\x7ff', U'\x800', U'\xd7ff', U'\xe000',
                         U'\xffff', U'\x10000', U'\x10ffff'}) {
    std::string text;
    append_utf8(text, value);
    auto [decoded, length] = decode_utf8(text);
    EXPECT_EQ(decoded, value);
    EXPECT_EQ(length, text.size());
    EXPECT_TRUE(is_utf8(text));
    EXPECT_FALSE(text.size() > 1 && is_utf8(text.substr(0, text.size() - 1)));
  }
}

TEST(Utf8, RefusesWhatIsNotWellFormed) {
  for (const char* text : {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80",
                           "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"}) {
    EXPECT_EQ(decode_utf8(text).length, 0U) << text;
    EXPECT_FALSE(is_utf8(std::string("eight letters ") + text));
  }
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("eight letters and more of them \xc3\xa9"));
}

}  // namespace
}  // namespace kitbag
