#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>

#include "kitbag/transforms.h"
#include "tests/support/units.h"

namespace kitbag {
namespace {

using test::kSecond;

using Outcome = TransformLookup::Outcome;

constexpr double kHalf = 0.70710678118654752;  // of the root of 2: sine and cosine of 45 degrees
constexpr Transform kTurned{{1, 2, 0}, {0, 0, kHalf, kHalf}};

void expect_near(const TransformLookup& found, std::array<double, 7> expected) {
  ASSERT_EQ(found.outcome, Outcome::found) << found.reason;
  for (std::size_t i = 0; i < 7; ++i) {
    double value = i < 3 ? found.transform.translation[i] : found.transform.rotation[i - 3];
    EXPECT_NEAR(value, expected[i], 1e-12) << i;
  }
}

class TransformTreeTest : public testing::Test {
 protected:
  bool fix(const std::string& parent, const std::string& child, const Transform& transform = {}) {
    return tree_.add({parent, child, {}, transform, true});
  }
  /// At so many seconds, so far along x.
  bool move(const std::string& parent, const std::string& child, double seconds, double x) {
    return tree_.add({parent, child, at(seconds), {{x, 0, 0}, {0, 0, 0, 1}}, false});
  }
  static Time at(double seconds) {
    return from_ns(static_cast<std::int64_t>(seconds * static_cast<double>(kSecond)));
  }
  double x(const std::string& target, const std::string& source, double seconds) {
    TransformLookup found = tree_.find(target, source, at(seconds));
    EXPECT_EQ(found.outcome, Outcome::found) << found.reason;
    return found.transform.translation[0];
  }
  Outcome outcome(const std::string& target, const std::string& source, double seconds = 0) {
    return tree_.find(target, source, at(seconds)).outcome;
  }
  std::string reason(const std::string& target, const std::string& source, double seconds = 0) {
    return tree_.find(target, source, at(seconds)).reason;
  }

  TransformTree tree_;
};

TEST_F(TransformTreeTest, ChainsAreMultiplied) {
  // The robot is at (1, 2) and looks along y; its laser is 0.5 in front of it.
  fix("map", "base", kTurned);
  fix("/base", "/laser", {{0.5, 0, 0.25}, {0, 0, 0, 1}});
  fix("base", "camera", {{0, 0.1, 0}, {0, 0, -kHalf, kHalf}});
  expect_near(tree_.find("map", "laser", {}), {1, 2.5, 0.25, 0, 0, kHalf, kHalf});
  expect_near(tree_.find("laser", "map", {}), {-2.5, 1, -0.25, 0, 0, -kHalf, kHalf});
  expect_near(tree_.find("/laser", "camera", {}), {-0.5, 0.1, -0.25, 0, 0, -kHalf, kHalf});
  expect_near(tree_.find("base", "base", {}), {0, 0, 0, 0, 0, 0, 1});
}

TEST_F(TransformTreeTest, MovingFramesLieBetweenTheirNeighbours) {
  // A quarter turn in 4 s; after one of them a quarter of it.
  tree_.add({"map", "base", at(1), {{0, 0, 0}, {0, 0, 0, 1}}});
  tree_.add({"map", "base", at(5), {{8, 4, 0}, {0, 0, kHalf, kHalf}}});
  double angle = std::numbers::pi / 16;
  expect_near(tree_.find("map", "base", at(2)), {2, 1, 0, 0, 0, std::sin(angle), std::cos(angle)});
  expect_near(tree_.find("map", "base", at(5)), {8, 4, 0, 0, 0, kHalf, kHalf});
}

TEST_F(TransformTreeTest, RotationsTakeTheShorterWay) {
  tree_.add({"map", "base", at(0), {{}, {0, 0, 0, 1}}});
  tree_.add({"map", "base", at(2), {{}, {0, 0, -kHalf, -kHalf}}});
  double angle = std::numbers::pi / 8;
  expect_near(tree_.find("map", "base", at(1)), {0, 0, 0, 0, 0, std::sin(angle), std::cos(angle)});
}

TEST_F(TransformTreeTest, TimesWithoutATransformAreNamed) {
  move("map", "base", 1, 0);
  move("map", "base", 5, 4);
  move("map", "base", 15.5, 8);
  fix("base", "laser");
  EXPECT_EQ(reason("map", "laser", 0.5),
            "no transform from \"laser\" to \"map\" at 1970-01-01T00:00:00.500000000Z: the first "
            "transform of \"base\" is of 1970-01-01T00:00:01.000000000Z");
  EXPECT_EQ(reason("laser", "map", 16),
            "no transform from \"map\" to \"laser\" at 1970-01-01T00:00:16.000000000Z: the last "
            "transform of \"base\" is of 1970-01-01T00:00:15.500000000Z");
  EXPECT_EQ(reason("map", "base", 6),
            "no transform from \"base\" to \"map\" at 1970-01-01T00:00:06.000000000Z: \"base\" has "
            "none between 1970-01-01T00:00:05.000000000Z and 1970-01-01T00:00:15.500000000Z");
  for (double seconds : {0.5, 6.0, 16.0}) {
    EXPECT_EQ(outcome("map", "base", seconds), Outcome::extrapolation);
  }
  tree_.clear_moving();
  EXPECT_EQ(outcome("map", "base", 2), Outcome::extrapolation);
  EXPECT_NE(reason("map", "base", 2).find("near that time"), std::string::npos);
}

TEST_F(TransformTreeTest, AnEarlyEndDoesNotMatterBelowIt) {
  move("map", "base", 1, 0);
  fix("base", "laser", {{2, 0, 0}, {0, 0, 0, 1}});
  fix("base", "camera", {{3, 0, 0}, {0, 0, 0, 1}});
  EXPECT_EQ(x("laser", "camera", 100), 1);
}

TEST_F(TransformTreeTest, StaticTransformsHoldWhereNoMovingOneDoes) {
  fix("base", "arm", {{1, 0, 0}, {0, 0, 0, 1}});
  move("base", "arm", 10, 2);
  move("base", "arm", 20, 4);
  EXPECT_EQ(x("base", "arm", 9), 1);
  EXPECT_EQ(x("base", "arm", 15), 3);
  EXPECT_EQ(x("base", "arm", 21), 1);
  fix("base", "arm", {{7, 0, 0}, {0, 0, 0, 1}});
  EXPECT_EQ(x("base", "arm", 9), 7);
}

TEST_F(TransformTreeTest, ANewParentCountsFromItsFirstTransform) {
  fix("map", "left", {{100, 0, 0}, {0, 0, 0, 1}});
  fix("map", "right", {{200, 0, 0}, {0, 0, 0, 1}});
  move("left", "ball", 1, 1);
  move("right", "ball", 2, 2);
  EXPECT_EQ(x("map", "ball", 1.9), 101);
  EXPECT_EQ(x("map", "ball", 2), 202);
}

TEST_F(TransformTreeTest, FramesThatAreNotKnownOrNotConnected) {
  EXPECT_EQ(reason("map", "map"), "no transform names the frame \"map\"; there are no transforms");
  move("map", "base", 1, 0);
  fix("world", "other\n");
  EXPECT_EQ(x("/map", "map", 0), 0);
  EXPECT_EQ(outcome("map", "nowhere"), Outcome::unknown_frame);
  EXPECT_EQ(outcome("nowhere", "nowhere"), Outcome::unknown_frame);
  EXPECT_EQ(reason("nowhere", "map"),
            "no transform names the frame \"nowhere\"; there are \"base\", \"map\", \"other\\n\", "
            "\"world\"");
  EXPECT_EQ(outcome("other\n", "base", 1), Outcome::not_connected);
  EXPECT_NE(reason("other\n", "base", 1)
                .find("the first is below \"map\", the other below "
                      "\"world\""),
            std::string::npos);
  EXPECT_EQ(outcome("world", "base", 2), Outcome::extrapolation);
}

TEST_F(TransformTreeTest, LoopsHaveAnEnd) {
  fix("a", "b", {{1, 0, 0}, {0, 0, 0, 1}});
  fix("b", "c", {{1, 0, 0}, {0, 0, 0, 1}});
  fix("c", "a", {{1, 0, 0}, {0, 0, 0, 1}});
  fix("map", "base");
  EXPECT_EQ(outcome("map", "a"), Outcome::loop);
  EXPECT_EQ(outcome("a", "map"), Outcome::loop);
  EXPECT_EQ(x("a", "b", 0), 1);
}

TEST_F(TransformTreeTest, WhatIsNoTransformIsLeftOut) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(fix("a", "a"));
  EXPECT_FALSE(fix("/a", "a"));
  EXPECT_FALSE(fix("", "b"));
  EXPECT_FALSE(fix("a", "/"));
  EXPECT_FALSE(fix("a", "b", {{0, kNan, 0}, {0, 0, 0, 1}}));
  EXPECT_FALSE(fix("a", "b", {{0, 0, 0}, {0, kInfinity, 0, 1}}));
  EXPECT_FALSE(fix("a", "b", {{0, 0, 0}, {kNan, kNan, kNan, kNan}}));
  EXPECT_FALSE(tree_.add({"a", "b", at(1), {{0, 0, 0}, {0, 0, 0, kNan}}}));
  EXPECT_EQ(tree_.frames().size(), 0U);
  // Rotations that are not of length 1 are.
  EXPECT_TRUE(fix("a", "b", {{1, 0, 0}, {0, 0, 0, 0}}));
  EXPECT_TRUE(fix("a", "c", {{1, 0, 0}, {0, 0, 3, 3}}));
  expect_near(tree_.find("a", "b", {}), {1, 0, 0, 0, 0, 0, 1});
  expect_near(tree_.find("a", "c", {}), {1, 0, 0, 0, 0, kHalf, kHalf});
}

TEST_F(TransformTreeTest, TheFirstOfTheSameStampCounts) {
  EXPECT_TRUE(move("map", "base", 1, 1));
  EXPECT_FALSE(move("map", "base", 1, 2));
  EXPECT_EQ(x("map", "base", 1), 1);
  EXPECT_TRUE(move("map", "base", 3, 3));
  EXPECT_TRUE(move("map", "base", 2, 7));  // late, but not old
  EXPECT_EQ(x("map", "base", 2), 7);
}

TEST_F(TransformTreeTest, AnOldStampIsLeftOut) {
  for (int i = 100; i < 200; ++i) {
    EXPECT_TRUE(move("map", "base", i, i));
    EXPECT_FALSE(move("map", "base", 5, -1));
  }
  EXPECT_EQ(tree_.moving_count(), 100U);
  EXPECT_EQ(outcome("map", "base", 5), Outcome::extrapolation);
  EXPECT_EQ(x("map", "base", 150.5), 150.5);
}

TEST_F(TransformTreeTest, AfterItWasClearedAnyStampMayBeTheFirst) {
  move("map", "base", 100, 100);
  tree_.clear_moving();
  EXPECT_TRUE(move("map", "base", 5, 5));
  EXPECT_EQ(x("map", "base", 5), 5);
  EXPECT_FALSE(move("map", "base", -10, -1));
}

TEST_F(TransformTreeTest, AClockThatIsSetBackBeginsAnew) {
  for (int i = 0; i < 100; ++i) move("map", "base", i, i);
  for (int i = 50; i < 70; ++i) move("map", "base", i + 0.5, -i);
  EXPECT_EQ(x("map", "base", 20), 20);
  EXPECT_EQ(x("map", "base", 50.5), -50);
  EXPECT_EQ(x("map", "base", 69.5), -69);
  EXPECT_EQ(outcome("map", "base", 80), Outcome::extrapolation);
  EXPECT_EQ(tree_.moving_count(), 71U);
}

}  // namespace
}  // namespace kitbag
