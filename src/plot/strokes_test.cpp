#include "plot/strokes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

namespace kitbag {
namespace {

const Scale kX{{0, 100}, 0, 100};
const Scale kY{{0, 100}, 100, 0};

PlotPoint at(double x, double y, bool is_connected = true) {
  return {x, y, y, y, is_connected};
}

TEST(Strokes, GoThroughFewPoints) {
  PlotCurve curve{.points = {at(0, 0), at(10, 50), at(20, 100)}};
  auto lines = lines_of(curve, kX, kY, false);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0], (Line{{0, 100}, {10, 50}, {20, 0}}));
}

TEST(Strokes, HaveFourSpotsForAColumnAndItsExtremes) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> values(0, 100);
  PlotCurve curve;
  std::map<int, std::pair<double, double>> extremes;
  for (int i = 0; i < 10'000; ++i) {
    double y = values(random);
    curve.points.push_back(at(i / 100.0, y));
    auto [place, is_new] = extremes.try_emplace(i / 100, y, y);
    place->second = {std::min(place->second.first, y), std::max(place->second.second, y)};
  }
  auto lines = lines_of(curve, kX, kY, false);
  ASSERT_EQ(lines.size(), 1U);
  std::map<int, std::vector<double>> drawn;
  double before = 0;
  for (const Spot& spot : lines[0]) {
    EXPECT_GE(spot.x, before);
    before = spot.x;
    drawn[static_cast<int>(spot.x)].push_back(100 - spot.y);
  }
  ASSERT_EQ(drawn.size(), 100U);
  for (const auto& [column, values_of_column] : drawn) {
    EXPECT_LE(values_of_column.size(), 4U);
    auto [low, high] = std::minmax_element(values_of_column.begin(), values_of_column.end());
    EXPECT_NEAR(*low, extremes[column].first, 1e-9);
    EXPECT_NEAR(*high, extremes[column].second, 1e-9);
  }
}

TEST(Strokes, ShowBothEndsOfAPart) {
  PlotCurve curve{.points = {at(0, 50), {10, 20, 80, 30, true}, at(20, 50)}};
  auto lines = lines_of(curve, kX, kY, false);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(std::find(lines[0].begin(), lines[0].end(), Spot{10, 80}) != lines[0].end());
  EXPECT_TRUE(std::find(lines[0].begin(), lines[0].end(), Spot{10, 20}) != lines[0].end());
}

TEST(Strokes, EndAtGaps) {
  PlotCurve curve{.points = {at(0, 1), at(10, 1), at(20, 2, false), at(30, 3, false), at(40, 3)}};
  auto lines = lines_of(curve, kX, kY, false);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].size(), 2U);
  EXPECT_EQ(lines[1], (Line{{20, 98}}));
  EXPECT_EQ(lines[2].size(), 2U);
}

TEST(Strokes, DoNotShowGapsWithinAColumn) {
  PlotCurve curve;
  for (int i = 0; i < 10'000; ++i) curve.points.push_back(at(i / 100.0, i % 2, i % 3 != 0));
  std::size_t spots = 0;
  for (const Line& line : lines_of(curve, kX, kY, false)) spots += line.size();
  EXPECT_LE(spots, 800U);
}

TEST(Strokes, OfAStateAreSteps) {
  PlotCurve curve{.points = {at(0, 0), at(10, 100)}, .is_state = true};
  EXPECT_EQ(lines_of(curve, kX, kY, false)[0], (Line{{0, 100}, {10, 100}, {10, 0}}));
}

TEST(Strokes, StayNearTheDrawing) {
  PlotCurve curve{.points = {at(0, -1e300), at(10, 1e300)}};
  auto lines = lines_of(curve, kX, kY, false);
  for (const Spot& spot : lines.at(0)) {
    EXPECT_GE(spot.y, -1000);
    EXPECT_LE(spot.y, 1100);
  }
}

TEST(Strokes, OfAPathKeepItsOrder) {
  PlotCurve curve{.points = {at(50, 50), at(50.2, 60), at(50.1, 40), at(50.3, 55), at(0, 0)}};
  EXPECT_EQ(lines_of(curve, kX, kY, true)[0].size(), 5U);
}

}  // namespace
}  // namespace kitbag
