#include "kitbag/text.h"

#include <gmock/gmock.h>

#include "kitbag/error.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kTestSecond = 1'000'000'000;

/// What the error says by which it is refused.
template <class Call>
std::string refusal(Call&& call) {
  Error error = test::thrown_by(call);
  EXPECT_EQ(error.code(), ErrorCode::invalid);
  return error.what();
}

std::int64_t duration_ns(std::string_view text) {
  return parse_duration(text).count();
}

std::int64_t epoch_ns(std::string_view text) {
  TimePoint point = parse_time(text);
  EXPECT_EQ(point.from, TimePoint::From::epoch) << text;
  return point.offset.count();
}

TEST(ParseSize, PlainBytes) {
  EXPECT_EQ(parse_size("0"), 0U);
  EXPECT_EQ(parse_size("100000"), 100'000U);
  EXPECT_EQ(parse_size("17B"), 17U);
  EXPECT_EQ(parse_size("18446744073709551615"), UINT64_MAX);
}

TEST(ParseSize, UnitsOfAThousandAndOf1024) {
  EXPECT_EQ(parse_size("768KiB"), 786'432U);
  EXPECT_EQ(parse_size("1.5GB"), 1'500'000'000U);
  EXPECT_EQ(parse_size("2k"), 2000U);
  EXPECT_EQ(parse_size("2Ki"), 2048U);
  EXPECT_EQ(parse_size("3M"), 3'000'000U);
  EXPECT_EQ(parse_size("3MiB"), 3U << 20U);
  EXPECT_EQ(parse_size("1G"), 1'000'000'000U);
  EXPECT_EQ(parse_size("1Gi"), 1U << 30U);
  EXPECT_EQ(parse_size("2T"), 2'000'000'000'000U);
  EXPECT_EQ(parse_size("2TiB"), std::uint64_t{2} << 40U);
}

TEST(ParseSize, CaseAndSpacesDoNotMatter) {
  EXPECT_EQ(parse_size("768kib"), 786'432U);
  EXPECT_EQ(parse_size("768KIB"), 786'432U);
  EXPECT_EQ(parse_size(" 1.5 gb "), 1'500'000'000U);
}

TEST(ParseSize, FractionsOfAByteAreDropped) {
  EXPECT_EQ(parse_size("0.1KiB"), 102U);
  EXPECT_EQ(parse_size(".5k"), 500U);
  EXPECT_EQ(parse_size("0.000000000001T"), 1U);
}

TEST(ParseSize, BeyondTheLargest) {
  EXPECT_EQ(parse_size("16777215TiB"), UINT64_MAX - ((std::uint64_t{1} << 40U) - 1));
  EXPECT_THAT(refusal([] { parse_size("16777216TiB"); }), HasSubstr("less than 2^64 bytes"));
  EXPECT_ERROR(invalid, parse_size("18446744073709551616"));
  EXPECT_ERROR(invalid, parse_size("99999999999999999999999T"));
}

TEST(ParseSize, RefusesWhatIsNoneAndShowsTheForms) {
  for (const char* text : {"", " ", "k", "B", "-1", "+1", "1.", ".", "1..5k", "1.5.5", "1 2",
                           "0x10", "1kk", "1iB", "1KBi", "12 bytes", "1e6", "1,5k", "nan"}) {
    EXPECT_THAT(refusal([&] { parse_size(text); }), HasSubstr("768KiB")) << text;
  }
}

TEST(ParseDuration, EveryUnit) {
  EXPECT_EQ(duration_ns("5s"), 5 * kTestSecond);
  EXPECT_EQ(duration_ns("500ms"), kTestSecond / 2);
  EXPECT_EQ(duration_ns("2m"), 120 * kTestSecond);
  EXPECT_EQ(duration_ns("2min"), 120 * kTestSecond);
  EXPECT_EQ(duration_ns("1.5h"), 5400 * kTestSecond);
  EXPECT_EQ(duration_ns("250us"), 250'000);
  EXPECT_EQ(duration_ns("250\u00b5s"), 250'000);
  EXPECT_EQ(duration_ns("10ns"), 10);
  EXPECT_EQ(duration_ns("1d"), 86400 * kTestSecond);
}

TEST(ParseDuration, PlainSeconds) {
  EXPECT_EQ(duration_ns("0"), 0);
  EXPECT_EQ(duration_ns("30"), 30 * kTestSecond);
  EXPECT_EQ(duration_ns("0.1"), 100'000'000);
  EXPECT_EQ(duration_ns(".25"), 250'000'000);
  EXPECT_EQ(duration_ns("1.000000001"), 1'000'000'001);
}

TEST(ParseDuration, SeveralUnits) {
  EXPECT_EQ(duration_ns("1h30m"), 5400 * kTestSecond);
  EXPECT_EQ(duration_ns("1h 02m 03.5s"), 3723 * kTestSecond + kTestSecond / 2);
  EXPECT_EQ(duration_ns("1s1ms1us1ns"), 1'001'001'001);
}

TEST(ParseDuration, IsExactToTheNanosecond) {
  EXPECT_EQ(duration_ns("9007199.254740993"), 9'007'199'254'740'993);  // no double holds it
  EXPECT_EQ(duration_ns("1.1234567890000000000000000000"), 1'123'456'789);
  EXPECT_THAT(refusal([] { parse_duration("1.0000000001"); }), HasSubstr("finer"));
  EXPECT_THAT(refusal([] { parse_duration("0.5ns"); }), HasSubstr("finer"));
}

TEST(ParseDuration, BeyondTheLongest) {
  EXPECT_EQ(duration_ns("9223372036.854775807"), INT64_MAX);
  EXPECT_EQ(duration_ns("9223372036854775807ns"), INT64_MAX);
  EXPECT_THAT(refusal([] { parse_duration("9223372036.854775808"); }), HasSubstr("292 years"));
  EXPECT_THAT(refusal([] { parse_duration("106752d"); }), HasSubstr("292 years"));
  EXPECT_THAT(refusal([] { parse_duration("106751d 24h"); }), HasSubstr("292 years"));
}

TEST(ParseDuration, RefusesWhatIsNoneAndShowsTheForms) {
  for (const char* text :
       {"",     " ",      "s",    "-5s",    "-5", "+5s", "5 apples", "5S",  "5sm", "1m1m",
        "1s1m", "1m1min", "1h30", "1h 30 ", "1.", "1.s", "1..5s",    "0x5", "1e3", "inf"}) {
    EXPECT_THAT(refusal([&] { parse_duration(text); }), HasSubstr("1h30m")) << text;
  }
}

TEST(ParseTime, SecondsSince1970AreExact) {
  EXPECT_EQ(epoch_ns("0"), 0);
  EXPECT_EQ(epoch_ns("1700000000.25"), 1'700'000'000'250'000'000);
  EXPECT_EQ(epoch_ns("1700000000.123456789"), 1'700'000'000'123'456'789);
  EXPECT_EQ(epoch_ns("9223372036.854775807"), INT64_MAX);
  EXPECT_ERROR(invalid, parse_time("9223372036.854775808"));
  EXPECT_ERROR(invalid, parse_time("1700000000.1234567891"));
}

TEST(ParseTime, SignsAreRelative) {
  auto from_start = parse_time("+5s");
  EXPECT_EQ(from_start.from, TimePoint::From::start);
  EXPECT_EQ(from_start.offset, Duration(5 * kTestSecond));
  auto from_end = parse_time("-5s");
  EXPECT_EQ(from_end.from, TimePoint::From::end);
  EXPECT_EQ(from_end.offset, Duration(-5 * kTestSecond));
  EXPECT_EQ(parse_time("-5").from, TimePoint::From::end);
  EXPECT_EQ(parse_time("-5").offset, Duration(-5 * kTestSecond));
  EXPECT_EQ(parse_time("+0.5").from, TimePoint::From::start);
  EXPECT_EQ(parse_time("+1h30m").offset, Duration(5400 * kTestSecond));
}

TEST(ParseTime, Iso8601) {
  constexpr std::int64_t kNoon = 1'795'185'000;  // 2026-11-20 14:30:00 UTC
  EXPECT_EQ(epoch_ns("2026-11-20T14:30:00.5Z"), kNoon * kTestSecond + kTestSecond / 2);
  EXPECT_EQ(epoch_ns("2026-11-20T14:30:00"), kNoon * kTestSecond);
  EXPECT_EQ(epoch_ns("2026-11-20 14:30:00"), kNoon * kTestSecond);
  EXPECT_EQ(epoch_ns("2026-11-20t14:30z"), kNoon * kTestSecond);
  EXPECT_EQ(epoch_ns("2026-11-20T15:30:00+01:00"), kNoon * kTestSecond);
  EXPECT_EQ(epoch_ns("2026-11-20T09:00:00-05:30"), kNoon * kTestSecond);
  EXPECT_EQ(epoch_ns("2026-11-21T00:15:00+09:45"), kNoon * kTestSecond);
  EXPECT_EQ(epoch_ns("2026-11-20"), (kNoon - 52'200) * kTestSecond);
  EXPECT_EQ(epoch_ns("1970-01-01T00:00:00.000000001"), 1);
  EXPECT_EQ(epoch_ns("1969-12-31T23:59:59.999999999Z"), -1);
}

TEST(ParseTime, FractionsOfOneToNineDigits) {
  EXPECT_EQ(epoch_ns("1970-01-01T00:00:00.1"), 100'000'000);
  EXPECT_EQ(epoch_ns("1970-01-01T00:00:00.12"), 120'000'000);
  EXPECT_EQ(epoch_ns("1970-01-01T00:00:00.12345678"), 123'456'780);
  EXPECT_EQ(epoch_ns("1970-01-01T00:00:00.123456789"), 123'456'789);
  EXPECT_ERROR(invalid, parse_time("1970-01-01T00:00:00.1234567891"));
  EXPECT_ERROR(invalid, parse_time("1970-01-01T00:00:00."));
}

TEST(ParseTime, LeapDays) {
  EXPECT_EQ(epoch_ns("2024-02-29") + 86400 * kTestSecond, epoch_ns("2024-03-01"));
  EXPECT_ERROR(invalid, parse_time("2023-02-29"));
  EXPECT_ERROR(invalid, parse_time("2100-02-29"));
}

TEST(ParseTime, TheEarliestAndTheLatest) {
  EXPECT_EQ(epoch_ns("2262-04-11T23:47:16.854775807Z"), INT64_MAX);
  EXPECT_EQ(epoch_ns("1677-09-21T00:12:43.145224192Z"), INT64_MIN);
  EXPECT_THAT(refusal([] { parse_time("2262-04-11T23:47:16.854775808Z"); }), HasSubstr("1677"));
  EXPECT_THAT(refusal([] { parse_time("1677-09-21T00:12:43.145224191Z"); }), HasSubstr("1677"));
  EXPECT_ERROR(invalid, parse_time("9999-12-31"));
  EXPECT_ERROR(invalid, parse_time("0000-01-01"));
}

TEST(ParseTime, RefusesWhatIsNoneAndShowsTheForms) {
  for (const char* text : {"",
                           "now",
                           "5s",
                           "1.",
                           "1e9",
                           "0x1",
                           "2026-13-01",
                           "2026-00-10",
                           "2026-11-31",
                           "2026-1-1",
                           "2026-11-20T",
                           "2026-11-20T24:00",
                           "2026-11-20T14",
                           "2026-11-20T14:60",
                           "2026-11-20T14:30:60",
                           "2026-11-20T14:30:00+1",
                           "2026-11-20T14:30:00+24:00",
                           "2026-11-20T14:30:00+01:60",
                           "2026-11-20T14:30:00Zx",
                           "2026-11-20Z",
                           "2026-11-20  14:30",
                           "26-11-20",
                           "2026/11/20",
                           "2026-11-20T14:30:0",
                           "2026-11-2a"}) {
    EXPECT_THAT(refusal([&] { parse_time(text); }), HasSubstr("2026-11-20T14:30:00.5Z")) << text;
  }
  for (const char* text : {"+", "-", "+-5", "--5", "-2026-11-20", "+1970x"}) {
    EXPECT_ERROR(invalid, parse_time(text)) << text;
  }
}

TEST(TimePoint, ResolvesAgainstABag) {
  Time start = from_ns(1000 * kTestSecond);
  Time end = from_ns(2000 * kTestSecond);
  EXPECT_EQ(parse_time("+5s").resolve(start, end), from_ns(1005 * kTestSecond));
  EXPECT_EQ(parse_time("-5s").resolve(start, end), from_ns(1995 * kTestSecond));
  EXPECT_EQ(parse_time("1500").resolve(start, end), from_ns(1500 * kTestSecond));
}

TEST(TimePoint, StaysWithinWhatTimeHolds) {
  auto far = parse_time("+9223372036").resolve(from_ns(kTestSecond * 1'700'000'000), Time());
  EXPECT_EQ(far, Time::max());
  auto before = parse_time("-9223372036").resolve(Time(), from_ns(-kTestSecond * 1'700'000'000));
  EXPECT_EQ(before, Time::min());
}

TEST(FormatTime, NineDecimalsInUtc) {
  EXPECT_EQ(format_time(from_ns(0)), "1970-01-01T00:00:00.000000000Z");
  EXPECT_EQ(format_time(from_ns(1'795'185'000'500'000'000)), "2026-11-20T14:30:00.500000000Z");
  EXPECT_EQ(format_time(from_ns(-1)), "1969-12-31T23:59:59.999999999Z");
  EXPECT_EQ(format_time(Time::max()), "2262-04-11T23:47:16.854775807Z");
  EXPECT_EQ(format_time(Time::min()), "1677-09-21T00:12:43.145224192Z");
}

TEST(FormatTime, IsReadBack) {
  for (std::int64_t ns : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, INT64_MAX, INT64_MIN,
                          std::int64_t{1'267'000'000'123'456'789}, -86400 * kTestSecond}) {
    EXPECT_EQ(epoch_ns(format_time(from_ns(ns))), ns);
  }
}

TEST(FormatSeconds, BeforeAndAfter1970) {
  EXPECT_EQ(format_seconds(from_ns(0)), "0.000000000");
  EXPECT_EQ(format_seconds(from_ns(1'700'000'000'250'000'000)), "1700000000.250000000");
  EXPECT_EQ(format_seconds(from_ns(-5)), "-0.000000005");
  EXPECT_EQ(format_seconds(from_ns(-824'774'399'991'000'000)), "-824774399.991000000");
  EXPECT_EQ(format_seconds(Time::min()), "-9223372036.854775808");
}

TEST(FormatDuration, AsLongAsNeeded) {
  EXPECT_EQ(format_duration(Duration(0)), "0s");
  EXPECT_EQ(format_duration(Duration(5'000'000)), "0.005s");
  EXPECT_EQ(format_duration(Duration(12'300'000'000)), "12.3s");
  EXPECT_EQ(format_duration(Duration(60 * kTestSecond)), "1m 00s");
  EXPECT_EQ(format_duration(Duration(3723 * kTestSecond + kTestSecond / 2)), "1h 02m 03.5s");
  EXPECT_EQ(format_duration(Duration(100'000 * kTestSecond)), "1d 03h 46m 40s");
  EXPECT_EQ(format_duration(Duration(-1'500'000'000)), "-1.5s");
}

TEST(FormatDuration, RoundsAndCarries) {
  EXPECT_EQ(format_duration(Duration(1)), "0.000000001s");
  EXPECT_EQ(format_duration(Duration(1'234'567)), "0.001235s");
  EXPECT_EQ(format_duration(Duration(1'234'567'890)), "1.235s");
  EXPECT_EQ(format_duration(Duration(999'999'999)), "1s");
  EXPECT_EQ(format_duration(Duration(59'999'900'000)), "1m 00s");
  EXPECT_EQ(format_duration(Duration(3600 * kTestSecond - 1)), "1h 00m 00s");
  EXPECT_EQ(format_duration(Duration::max()), "106751d 23h 47m 16.855s");
  EXPECT_EQ(format_duration(Duration::min()), "-106751d 23h 47m 16.855s");
}

TEST(FormatSize, UnitsOf1024) {
  EXPECT_EQ(format_size(0), "0 B");
  EXPECT_EQ(format_size(17), "17 B");
  EXPECT_EQ(format_size(1023), "1023 B");
  EXPECT_EQ(format_size(1024), "1.0 KiB");
  EXPECT_EQ(format_size(4200), "4.1 KiB");
  EXPECT_EQ(format_size(1'288'490'189), "1.2 GiB");
  EXPECT_EQ(format_size(std::uint64_t{1} << 40U), "1.0 TiB");
}

TEST(FormatSize, RoundsAndCarries) {
  EXPECT_EQ(format_size(1024 * 1024 - 1), "1.0 MiB");
  EXPECT_EQ(format_size(1023 * 1024), "1023.0 KiB");
  EXPECT_EQ(format_size(1024 * 1024 - 52), "1023.9 KiB");
  EXPECT_EQ(format_size(1024 * 1024 - 51), "1.0 MiB");
  EXPECT_EQ(format_size(UINT64_MAX), "16.0 EiB");
}

}  // namespace
}  // namespace kitbag
