#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "kitbag/error.h"
#include "kitbag/transforms.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using Outcome = TransformLookup::Outcome;

/// Ten seconds of the simulated robot, in each encoding.
class TransformsTest : public testing::TestWithParam<const char*> {
 protected:
  BagPtr open(const std::string& parameters = "seconds=10&seed=7") const {
    return session_.open("demo://?" + parameters + "&encoding=" + GetParam());
  }

  Session session_;
};

INSTANTIATE_TEST_SUITE_P(Encodings, TransformsTest,
                         testing::Values("ros1", "cdr", "json", "protobuf"));

TEST_P(TransformsTest, TheLaserIsOnTheRobot) {
  BagPtr bag = open();
  Transforms tf({bag}, session_);
  Time time = bag->summary().start + std::chrono::seconds(5);
  Transform laser = tf.lookup("base_link", "laser", time);
  EXPECT_NEAR(laser.translation[0], 0.2, 1e-12);
  EXPECT_NEAR(laser.translation[2], 0.5, 1e-12);
  Transform base = tf.lookup("map", "base_link", time);
  EXPECT_GT(std::hypot(base.translation[0], base.translation[1]), 1);
  EXPECT_EQ(tf.lookup("map", "laser", time), base * laser);
}

TEST_P(TransformsTest, TheOrderOfTimesDoesNotMatter) {
  BagPtr bag = open("seconds=140&seed=7");
  Transforms forward({bag}, session_);
  Transforms backward({bag}, session_);
  std::vector<Transform> found;
  Time first = bag->summary().start + std::chrono::seconds(1);
  for (int i = 0; i < 130; i += 7) {
    found.push_back(forward.lookup("map", "laser", first + std::chrono::seconds(i)));
  }
  for (int i = 126; i >= 0; i -= 7) {
    EXPECT_EQ(backward.lookup("map", "laser", first + std::chrono::seconds(i)), found.back()) << i;
    found.pop_back();
  }
  EXPECT_TRUE(found.empty());
}

TEST_P(TransformsTest, WhatIsMissingIsNamed) {
  BagPtr bag = open("seconds=100&seed=7");
  Transforms tf({bag}, session_);
  auto reason = [&](Time time) {
    TransformLookup found = tf.find("map", "base_link", time);
    EXPECT_EQ(found.outcome, Outcome::extrapolation);
    return found.reason.substr(found.reason.find("the "));
  };
  // Far from the bag, its ends are named.
  EXPECT_EQ(reason({}).find("the first transform of \"base_link\" is of 2026-01-01T00:00:00.0"),
            0U);
  EXPECT_EQ(reason(Time::max())
                .find("the last transform of \"base_link\" is of "
                      "2026-01-01T00:01:39.9"),
            0U);
  EXPECT_EQ(tf.find("map", "nowhere", {}).outcome, Outcome::unknown_frame);
  EXPECT_ERROR(not_found, tf.lookup("map", "nowhere", bag->summary().start));
}

TEST_P(TransformsTest, MemoryHasALimit) {
  BagPtr bag = open();
  Transforms tf({bag}, session_, {.most_transforms = 100});
  EXPECT_ERROR(limit, tf.lookup("map", "laser", bag->summary().start));
}

TEST_P(TransformsTest, AStopEndsIt) {
  BagPtr bag = open();
  Transforms tf({bag}, session_);
  std::stop_source stop;
  stop.request_stop();
  Time time = bag->summary().start + std::chrono::seconds(5);
  EXPECT_ERROR(cancelled, tf.lookup("map", "laser", time, {stop.get_token(), kNever}));
  EXPECT_EQ(tf.find("map", "laser", time).outcome, Outcome::found);
}

}  // namespace
}  // namespace kitbag
