#include "plot/ticks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kitbag/text.h"

namespace kitbag {
namespace {

std::string labels(const std::vector<Tick>& ticks) {
  std::string all;
  for (const Tick& tick : ticks) all += (all.empty() ? "" : " ") + tick.label;
  return all;
}

TEST(Ticks, AreAtRoundNumbers) {
  EXPECT_EQ(labels(number_ticks({0, 10}, 6, false)), "0 2 4 6 8 10");
  EXPECT_EQ(labels(number_ticks({-0.3, 0.9}, 4, false)), "0 0.5");
  EXPECT_EQ(labels(number_ticks({-0.3, 0.9}, 7, false)), "-0.2 0 0.2 0.4 0.6 0.8");
  EXPECT_EQ(labels(number_ticks({0.001, 0.0042}, 4, false)), "0.001 0.002 0.003 0.004");
  EXPECT_EQ(labels(number_ticks({999, 1001}, 3, false)), "999 1000 1001");
}

TEST(Ticks, OfWholeNumbersAreWhole) {
  EXPECT_EQ(labels(number_ticks({-0.04, 1.04}, 10, true)), "0 1");
}

TEST(Ticks, OfLargeAndSmallNumbersHaveExponents) {
  EXPECT_EQ(labels(number_ticks({0, 2e20}, 4, false)), "0 5e19 1e20 1.5e20 2e20");
  EXPECT_EQ(labels(number_ticks({1e-12, 3e-12}, 2, false)), "1e-12 2e-12 3e-12");
  // A time since 1970: as many digits as tell the ticks apart.
  EXPECT_EQ(labels(number_ticks({1.7672256e9, 1.7672256e9 + 4}, 2, false)),
            "1.7672256e9 1.767225602e9 1.767225604e9");
}

TEST(Ticks, AreNeverMoreThanAskedFor) {
  for (std::size_t most : {1U, 2U, 3U, 7U, 20U}) {
    for (double span : {1e-300, 1e-9, 0.1, 0.3, 1.0, 7.0, 1e5, 1e300}) {
      for (double least : {-span, 0.0, span * 0.77}) {
        auto ticks = number_ticks({least, least + span}, most, false);
        EXPECT_LE(ticks.size(), most + 1);
        for (const Tick& tick : ticks) {
          EXPECT_GE(tick.at, least - span * 1e-6);
          EXPECT_LE(tick.at, least + span * (1 + 1e-6));
        }
      }
    }
  }
}

TEST(Ticks, OfARangeTooNarrowForNumbersEnd) {
  double next = std::nextafter(1e17, HUGE_VAL);
  EXPECT_LE(number_ticks({1e17, next}, 20, false).size(), 3U);
}

TEST(Ticks, OfTimesAreAtRoundTimes) {
  Time start(parse_time("2026-01-01T23:59:57.3Z").offset);
  EXPECT_EQ(labels(time_ticks({0, 10}, start, 6)), "23:59:58 00:00:00 00:00:02 00:00:04 00:00:06");
  EXPECT_EQ(labels(time_ticks({0, 7200}, start, 6)), "00:00 00:30 01:00 01:30");
  EXPECT_EQ(labels(time_ticks({0, 0.01}, start, 2)), "23:59:57.300 23:59:57.305 23:59:57.310");
  EXPECT_EQ(labels(time_ticks({0, 3e5}, start, 4)), "2026-01-02 2026-01-03 2026-01-04 2026-01-05");
  EXPECT_DOUBLE_EQ(time_ticks({0, 10}, start, 6)[0].at, 0.7);
  EXPECT_EQ(days_of({0, 2}, start), "2026-01-01");
  EXPECT_EQ(days_of({0, 3}, start), "2026-01-01 to 2026-01-02");
}

TEST(Ticks, OfTimesCanBeAtBothEnds) {
  for (Time start : {Time::min(), Time(), Time::max()}) {
    for (Range range : {Range{0, 1e-9}, Range{-1.8e10, 1.8e10}, Range{0, 1.8e10}}) {
      EXPECT_LE(time_ticks(range, start, 5).size(), 6U);
      EXPECT_FALSE(days_of(range, start).empty());
    }
  }
}

TEST(Ticks, CanBeNames) {
  std::vector<std::pair<std::int64_t, std::string>> names = {
      {2, "MOVING"}, {0, "IDLE"}, {7, "OFF"}};
  EXPECT_EQ(labels(name_ticks({-0.1, 2.1}, names, 5)), "IDLE MOVING");
  EXPECT_EQ(labels(name_ticks({-0.1, 8}, names, 2)), "");
}

TEST(Padded, HoldsTheValuesWithRoom) {
  Range range = padded(-1, 3);
  EXPECT_LT(range.least, -1);
  EXPECT_GT(range.greatest, 3);
  EXPECT_GT(range.least, -1.5);
}

TEST(Padded, IsARangeForAnyValues) {
  constexpr double kMost = std::numeric_limits<double>::max();
  constexpr double kTiny = std::numeric_limits<double>::denorm_min();
  for (auto [least, greatest] :
       {std::pair(0.0, 0.0), std::pair(5.0, 5.0), std::pair(-kMost, kMost), std::pair(kMost, kMost),
        std::pair(0.0, kTiny), std::pair(1e17, std::nextafter(1e17, HUGE_VAL))}) {
    Range range = padded(least, greatest);
    EXPECT_LT(range.least, range.greatest);
    EXPECT_TRUE(std::isfinite(range.greatest - range.least));
    EXPECT_FALSE(number_ticks(range, 5, false).empty());
  }
}

}  // namespace
}  // namespace kitbag
