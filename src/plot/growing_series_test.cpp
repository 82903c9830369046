#include "plot/growing_series.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <vector>

namespace kitbag {
namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

double least(const std::vector<PlotPoint>& points) {
  double value = HUGE_VAL;
  for (const PlotPoint& each : points) value = std::min(value, each.min);
  return value;
}
double greatest(const std::vector<PlotPoint>& points) {
  double value = -HUGE_VAL;
  for (const PlotPoint& each : points) value = std::max(value, each.max);
  return value;
}
std::size_t gaps(const std::vector<PlotPoint>& points) {
  return static_cast<std::size_t>(
             std::count_if(points.begin(), points.end(),
                           [](const PlotPoint& each) { return !each.is_connected; })) -
         1;
}

TEST(GrowingSeries, KeepsFewValuesAsTheyAre) {
  GrowingSeries series(1000);
  for (int i = 0; i < 10; ++i) series.add(from_ns(1'000'000'000LL * i), i * i);
  auto points = series.points(from_ns(0), {});
  ASSERT_EQ(points.size(), 10U);
  for (int i = 0; i < 10; ++i) {
    const PlotPoint& each = points[static_cast<std::size_t>(i)];
    EXPECT_NEAR(each.x, i, 0.02);
    EXPECT_EQ(each.min, i * i);
    EXPECT_EQ(each.max, i * i);
  }
}

TEST(GrowingSeries, KeepsEveryPeak) {
  std::mt19937_64 random(3);
  for (std::uint64_t most : {2U, 3U, 64U, 1000U}) {
    for (int peak : {0, 1, 777, 49'999}) {
      GrowingSeries series(most);
      for (int i = 0; i < 50'000; ++i) {
        series.add(from_ns(i * 1'000'003LL + static_cast<std::int64_t>(random() % 1000)),
                   i == peak ? 1000 : std::sin(i / 10.0));
      }
      auto points = series.points(from_ns(0), {});
      EXPECT_LE(points.size(), most);
      EXPECT_GE(points.size(), most / 4);
      EXPECT_EQ(greatest(points), 1000);
      EXPECT_LT(least(points), -0.999);
      auto at = std::max_element(points.begin(), points.end(),
                                 [](const auto& a, const auto& b) { return a.max < b.max; });
      EXPECT_NEAR(at->x, peak * 1e-3, 200.0 / static_cast<double>(most));
    }
  }
}

TEST(GrowingSeries, TakesTimesInAnyOrder) {
  std::vector<int> order(1000);
  for (int i = 0; i < 1000; ++i) order[static_cast<std::size_t>(i)] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937_64(5));
  GrowingSeries series(16'384);
  for (int i : order) series.add(from_ns(i * 1'000'000'000LL), i);
  auto points = series.points(from_ns(0), {});
  ASSERT_EQ(points.size(), 1000U);
  for (std::size_t i = 0; i < points.size(); ++i) EXPECT_EQ(points[i].last, static_cast<double>(i));
}

TEST(GrowingSeries, TakesTimesAtBothEnds) {
  GrowingSeries series(100);
  series.add(Time(), 2);
  series.add(Time::max(), 3);
  series.add(Time::min(), 1);
  auto points = series.points(Time(), {});
  ASSERT_EQ(points.size(), 3U);
  EXPECT_EQ(points[0].last, 1);
  EXPECT_NEAR(points[0].x, -9.22e9, 2e8);
  EXPECT_NEAR(points[2].x, 9.22e9, 2e8);
}

TEST(GrowingSeries, HasAGapWhereNaNIs) {
  for (int count : {10, 100'000}) {
    GrowingSeries series(1000);
    for (int i = 0; i < count; ++i) {
      series.add(from_ns(i * 1'000'000LL), i == count / 2 ? kGap : 1);
    }
    EXPECT_EQ(gaps(series.points(Time(), {})), 1U) << count;
  }
}

TEST(GrowingSeries, HasAGapWhereNothingCame) {
  GrowingSeries series(1000);
  for (int i = 0; i < 1000; ++i) {
    if (i < 300 || i >= 400) series.add(from_ns(i * 10'000'000LL), 1);
  }
  using std::chrono::milliseconds;
  EXPECT_EQ(gaps(series.points(Time(), {})), 1U);
  EXPECT_EQ(gaps(series.points(Time(), milliseconds(900))), 1U);
  EXPECT_EQ(gaps(series.points(Time(), milliseconds(1100))), 0U);
}

TEST(GrowingSeries, HasNoGapsWhereValuesAreRare) {
  GrowingSeries series(1000);
  for (int seconds : {0, 1, 2, 60}) series.add(from_ns(seconds * 1'000'000'000LL), 1);
  EXPECT_EQ(gaps(series.points(Time(), {})), 0U);
}

}  // namespace
}  // namespace kitbag
