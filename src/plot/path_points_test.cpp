#include "plot/path_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace kitbag {
namespace {

TEST(PathPoints, KeepsFewPointsAsTheyAre) {
  PathPoints path(1000);
  for (int i = 0; i < 10; ++i) path.add(i % 3, i);
  auto points = path.points();
  ASSERT_EQ(points.size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(points[i].x, static_cast<double>(i % 3));
    EXPECT_EQ(points[i].last, static_cast<double>(i));
    EXPECT_EQ(points[i].is_connected, i > 0);
  }
}

TEST(PathPoints, AreNearEveryPointOfACircle) {
  PathPoints path(20'000);
  constexpr int kCount = 1'000'000;
  for (int i = 0; i < kCount; ++i) path.add(std::cos(i / 1e4), std::sin(i / 1e4));
  auto points = path.points();
  EXPECT_LE(points.size(), 20'000U);
  for (double angle = 0; angle < 6.28; angle += 0.05) {
    double nearest = HUGE_VAL;
    for (const PlotPoint& each : points) {
      nearest =
          std::min(nearest, std::hypot(each.x - std::cos(angle), each.last - std::sin(angle)));
    }
    EXPECT_LT(nearest, 2.0 / 1000);
  }
}

TEST(PathPoints, KeepsTheFarthestOfNoise) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> noise;
  PathPoints path(1000);
  double farthest[4] = {HUGE_VAL, -HUGE_VAL, HUGE_VAL, -HUGE_VAL};
  for (int i = 0; i < 200'000; ++i) {
    double x = noise(random);
    double y = noise(random);
    farthest[0] = std::min(farthest[0], x);
    farthest[1] = std::max(farthest[1], x);
    farthest[2] = std::min(farthest[2], y);
    farthest[3] = std::max(farthest[3], y);
    path.add(x, y);
  }
  auto points = path.points();
  EXPECT_LE(points.size(), 1000U);
  EXPECT_GT(points.size(), 100U);
  auto by_x = [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; };
  auto by_y = [](const PlotPoint& a, const PlotPoint& b) { return a.last < b.last; };
  EXPECT_EQ(std::min_element(points.begin(), points.end(), by_x)->x, farthest[0]);
  EXPECT_EQ(std::max_element(points.begin(), points.end(), by_x)->x, farthest[1]);
  EXPECT_EQ(std::min_element(points.begin(), points.end(), by_y)->last, farthest[2]);
  EXPECT_EQ(std::max_element(points.begin(), points.end(), by_y)->last, farthest[3]);
}

TEST(PathPoints, HasGaps) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  PathPoints path(1000);
  path.add(kNone, 1);
  path.add(0, 0);
  path.add(1, 1);
  path.add(2, kNone);
  path.add(3, 3);
  auto points = path.points();
  ASSERT_EQ(points.size(), 3U);
  EXPECT_FALSE(points[0].is_connected);
  EXPECT_TRUE(points[1].is_connected);
  EXPECT_FALSE(points[2].is_connected);
}

TEST(PathPoints, EndsWithTheLastPoint) {
  PathPoints path(1000);
  path.add(0, 0);
  path.add(1, 1);
  path.add(1 - 1e-9, 1 - 1e-9);
  EXPECT_EQ(path.points().back().x, 1 - 1e-9);
}

TEST(PathPoints, AreBoundedWhateverComes) {
  constexpr double kMost = std::numeric_limits<double>::max();
  PathPoints path(64);
  for (int i = 0; i < 10'000; ++i) {
    path.add(i % 2 == 0 ? kMost : -kMost, i % 3 == 0 ? kMost : -kMost);
    if (i % 5 == 0) path.add(HUGE_VAL, 0);
  }
  EXPECT_LE(path.points().size(), 65U);
}

}  // namespace
}  // namespace kitbag
