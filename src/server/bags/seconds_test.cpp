#include "server/bags/seconds.h"

#include <gtest/gtest.h>

namespace kitbag::server {
namespace {

std::optional<std::int64_t> ns_of(std::string_view text) {
  auto time = parse_seconds(text);
  if (!time) return std::nullopt;
  return to_ns(*time);
}

TEST(ParseSeconds, IsExactToTheNanosecond) {
  EXPECT_EQ(ns_of("0"), 0);
  EXPECT_EQ(ns_of("1674650010.123"), 1674650010123000000);
  EXPECT_EQ(ns_of("1674650010.123456789"), 1674650010123456789);
  EXPECT_EQ(ns_of("9223372036.854775807"), 9223372036854775807);
  EXPECT_EQ(ns_of("1."), 1000000000);
  EXPECT_EQ(ns_of(".5"), 500000000);
  EXPECT_EQ(ns_of("+2"), 2000000000);
  EXPECT_EQ(ns_of("000000000000000000000000000000001"), 1000000000);
}

TEST(ParseSeconds, RoundsDown) {
  EXPECT_EQ(ns_of("0.9999999999"), 999999999);
  EXPECT_EQ(ns_of("-0.0000000001"), -1);
  EXPECT_EQ(ns_of("-0.5"), -500000000);
  EXPECT_EQ(ns_of("1e-10"), 0);
}

TEST(ParseSeconds, TakesExponents) {
  EXPECT_EQ(ns_of("1.67465e9"), 1674650000000000000);
  EXPECT_EQ(ns_of("16746500101230e-4"), 1674650010123000000);
  EXPECT_EQ(ns_of("1E+3"), 1000000000000);
}

TEST(ParseSeconds, RefusesWhatIsNoTime) {
  for (const char* text : {"", ".", "-", "nan", "inf", "-inf", "1e", "1e99", "0x10", "1,5", " 1",
                           "1 ", "1.2.3", "9223372036.854775808", "1e10", "--1", "1e1.5"}) {
    EXPECT_EQ(ns_of(text), std::nullopt) << text;
  }
}

TEST(WholeSeconds, AreRoundedDown) {
  EXPECT_EQ(whole_seconds(from_ns(1999999999)), 1);
  EXPECT_EQ(whole_seconds(from_ns(-1)), -1);
}

TEST(SecondsText, IsExact) {
  EXPECT_EQ(seconds_text(from_ns(1'767'225'600'000'000'001)), "1767225600.000000001");
  EXPECT_EQ(seconds_text(Duration(0)), "0.000000000");
  EXPECT_EQ(seconds_text(Duration(-5)), "-0.000000005");
  EXPECT_EQ(seconds_text(Duration(-1'500'000'000)), "-1.500000000");
}

}  // namespace
}  // namespace kitbag::server
