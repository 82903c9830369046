#include "sql/transforms.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

namespace kitbag::sql {
namespace {

constexpr Duration kGap = std::chrono::seconds(10);
constexpr double kHalf = 0.70710678118654752;  // of the root of 2: sine and cosine of 45 degrees

void expect_near(const std::optional<Transform>& found, std::array<double, 7> expected) {
  ASSERT_TRUE(found);
  for (std::size_t i = 0; i < 7; ++i) {
    double value = i < 3 ? found->translation[i] : found->rotation[i - 3];
    EXPECT_NEAR(value, expected[i], 1e-12) << i;
  }
}

TEST(FrameTree, ChainsAreMultiplied) {
  FrameTree tree;
  // The robot is at (1, 2) and looks along y; its laser is 0.5 in front of it.
  tree.add("map", "base", {}, true, {{1, 2, 0}, {0, 0, kHalf, kHalf}});
  tree.add("/base", "/laser", {}, true, {{0.5, 0, 0.25}, {0, 0, 0, 1}});
  tree.add("base", "camera", {}, true, {{0, 0.1, 0}, {0, 0, -kHalf, kHalf}});
  expect_near(tree.find("map", "laser", {}, kGap), {1, 2.5, 0.25, 0, 0, kHalf, kHalf});
  expect_near(tree.find("laser", "map", {}, kGap), {-2.5, 1, -0.25, 0, 0, -kHalf, kHalf});
  expect_near(tree.find("laser", "camera", {}, kGap), {-0.5, 0.1, -0.25, 0, 0, -kHalf, kHalf});
  expect_near(tree.find("base", "base", {}, kGap), {0, 0, 0, 0, 0, 0, 1});
  EXPECT_FALSE(tree.find("map", "elsewhere", {}, kGap));
}

TEST(FrameTree, MovingFramesLieBetweenTheirNeighbours) {
  FrameTree tree;
  // A quarter turn in 4 s; after one of them a quarter of it.
  tree.add("map", "base", from_ns(1'000'000'000), false, {{0, 0, 0}, {0, 0, 0, 1}});
  tree.add("map", "base", from_ns(5'000'000'000), false, {{8, 4, 0}, {0, 0, kHalf, kHalf}});
  double angle = std::acos(-1) / 16;
  auto at = [&](std::int64_t ns) { return tree.find("map", "base", from_ns(ns), kGap); };
  expect_near(at(2'000'000'000), {2, 1, 0, 0, 0, std::sin(angle), std::cos(angle)});
  expect_near(at(5'000'000'000), {8, 4, 0, 0, 0, kHalf, kHalf});
  EXPECT_FALSE(at(999'999'999));
  EXPECT_FALSE(at(5'000'000'001));
  EXPECT_FALSE(tree.find("map", "base", from_ns(2'000'000'000), std::chrono::seconds(3)));
}

TEST(FrameTree, StaticTransformsHoldWhereNoMovingOneDoes) {
  FrameTree tree;
  tree.add("base", "arm", {}, true, {{1, 0, 0}, {0, 0, 0, 1}});
  tree.add("base", "arm", from_ns(10), false, {{2, 0, 0}, {0, 0, 0, 1}});
  tree.add("base", "arm", from_ns(20), false, {{4, 0, 0}, {0, 0, 0, 1}});
  expect_near(tree.find("base", "arm", from_ns(9), kGap), {1, 0, 0, 0, 0, 0, 1});
  expect_near(tree.find("base", "arm", from_ns(15), kGap), {3, 0, 0, 0, 0, 0, 1});
  expect_near(tree.find("base", "arm", from_ns(21), kGap), {1, 0, 0, 0, 0, 0, 1});
}

TEST(FrameTree, AnUnknownFrameIsNowhere) {
  FrameTree tree;
  EXPECT_FALSE(tree.find("map", "map", {}, kGap));
  tree.add("map", "base", from_ns(1), false, {});
  EXPECT_TRUE(tree.find("/map", "map", {}, kGap));
  EXPECT_TRUE(tree.find("base", "base", from_ns(100), kGap));
  EXPECT_FALSE(tree.find("nowhere", "nowhere", {}, kGap));
  tree.clear_moving();
  EXPECT_FALSE(tree.find("map", "map", {}, kGap));
}

TEST(FrameTree, LoopsHaveAnEnd) {
  FrameTree tree;
  tree.add("a", "b", {}, true, {});
  tree.add("b", "a", {}, true, {});
  EXPECT_FALSE(tree.find("c", "a", {}, kGap));
  EXPECT_FALSE(tree.find("a", "c", {}, kGap));
  EXPECT_TRUE(tree.find("a", "b", {}, kGap));
}

}  // namespace
}  // namespace kitbag::sql
