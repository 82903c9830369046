#include "import/time_text.h"
#include "tests/support/units.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace kitbag {
namespace {

using test::kSecond;

constexpr std::int64_t kDay = 86'400 * kSecond;

TEST(ScaledNumber, IsExact) {
  EXPECT_EQ(scaled_number("1767225600.009000001", kSecond), 1'767'225'600'009'000'001);
  EXPECT_EQ(scaled_number("-0.5", kSecond), -500'000'000);
  EXPECT_EQ(scaled_number(".25", kSecond), 250'000'000);
  EXPECT_EQ(scaled_number("+7", 1), 7);
  EXPECT_EQ(scaled_number("0.0000000005", kSecond), 1);
  EXPECT_EQ(scaled_number("1.5e3", 1'000), 1'500'000);
  EXPECT_EQ(scaled_number("-9223372036854775808", 1), INT64_MIN);
  EXPECT_EQ(scaled_number("9223372036854775807", 1), INT64_MAX);
  EXPECT_EQ(scaled_number(0.25, kSecond), 250'000'000);
  EXPECT_EQ(scaled_number(-1.5, 1'000'000), -1'500'000);
}

TEST(ScaledNumber, WhatIsNone) {
  for (const char* text : {"", "-", ".", "e", "1-2", "1.2.3", "0x10", "nan", "1 ",
                           "9223372036854775808", "99999999999999999999", "1e400"}) {
    EXPECT_EQ(scaled_number(text, 1), std::nullopt) << text;
  }
  EXPECT_EQ(scaled_number("9223372036.9", kSecond), std::nullopt);
  EXPECT_EQ(scaled_number(NAN, 1), std::nullopt);
  EXPECT_EQ(scaled_number(1e19, 1), std::nullopt);
  EXPECT_EQ(scaled_number(1e18, kSecond), std::nullopt);
}

TEST(NumberForm, OfNumbersAlone) {
  for (const char* text : {"1", " -7 ", "+1767225600000000000"}) {
    EXPECT_EQ(number_form(text), NumberForm::whole) << text;
  }
  for (const char* text : {"1.5", "1e-3", "-2E9", "7."}) {
    EXPECT_EQ(number_form(text), NumberForm::fraction) << text;
  }
  for (const char* text : {"", "2026-01-01", "2026-01-01 00:00:00.5", "1 days", "01:02:03", "-"}) {
    EXPECT_EQ(number_form(text), NumberForm::none) << text;
  }
}

TEST(TimeOfText, AllForms) {
  constexpr std::int64_t kNewYear = 1'767'225'600 * kSecond;
  EXPECT_EQ(time_of_text("2026-01-01T00:00:00.5Z", 0), kNewYear + kSecond / 2);
  EXPECT_EQ(time_of_text("2026-01-01 00:00:00.5", 0), kNewYear + kSecond / 2);
  EXPECT_EQ(time_of_text("2026-01-01 01:00:00+01:00", 0), kNewYear);
  EXPECT_EQ(time_of_text("2026-01-01", 0), kNewYear);
  EXPECT_EQ(time_of_text("1767225600.0", 0), kNewYear);
  EXPECT_EQ(time_of_text("1767225600000000000", 0), kNewYear);
  EXPECT_EQ(time_of_text("1767225600000", 1'000'000), kNewYear);
  for (const char* text : {"", "now", "2026-13-01", "2026-01-01 25:00:00", "2026-01-01x", "+5s"}) {
    EXPECT_EQ(time_of_text(text, 0), std::nullopt) << text;
  }
}

TEST(DurationOfText, AllForms) {
  EXPECT_EQ(duration_of_text("1.5", 0), kSecond * 3 / 2);
  EXPECT_EQ(duration_of_text("-7", 0), -7);
  EXPECT_EQ(duration_of_text("0 days 00:00:01.500000", 0), kSecond * 3 / 2);
  EXPECT_EQ(duration_of_text("-1 days +23:59:59", 0), -kSecond);
  EXPECT_EQ(duration_of_text("2 days", 0), 2 * kDay);
  EXPECT_EQ(duration_of_text("01:02:03", 0), 3723 * kSecond);
  for (const char* text : {"", "x", "1 day x", "1:2", ":::", "200000 days", "1 days 1:2:x"}) {
    EXPECT_EQ(duration_of_text(text, 0), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace kitbag
