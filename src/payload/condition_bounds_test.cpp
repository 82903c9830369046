#include "payload/condition_bounds.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "kitbag/error.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

class Bounds : public ::testing::Test {
 protected:
  bool may_be(const std::string& condition) {
    return ConditionBounds(condition).may_be_met(
        "/battery", [&](const std::string& path) -> std::optional<ValueBounds> {
          auto found = known_.find(path);
          if (found == known_.end()) return std::nullopt;
          return found->second;
        });
  }

  std::map<std::string, ValueBounds> known_{{"a", {1, 3, false}},
                                            {"b.c", {-2, 2, false}},
                                            {"gaps", {1, 3, true}},
                                            {"fixed", {5, 5, false}},
                                            {"absent", {.is_absent = true}}};
};

TEST_F(Bounds, ComparisonsWithConstants) {
  EXPECT_TRUE(may_be("a < 2"));
  EXPECT_FALSE(may_be("a < 1"));
  EXPECT_TRUE(may_be("a <= 1"));
  EXPECT_FALSE(may_be("a > 3"));
  EXPECT_TRUE(may_be("a >= 3"));
  EXPECT_FALSE(may_be("a == 3.5"));
  EXPECT_TRUE(may_be("a == 2"));
  EXPECT_TRUE(may_be("a != 2"));
  EXPECT_FALSE(may_be("4 < a"));
}

TEST_F(Bounds, AWholeNumberIsNotRuledOutByRounding) {
  known_["large"] = {9007199254740993.0, 9007199254740993.0, false};
  EXPECT_TRUE(may_be("large == 9007199254740993"));
  EXPECT_TRUE(may_be("fixed != 6"));
}

TEST_F(Bounds, Arithmetic) {
  EXPECT_FALSE(may_be("a + b.c > 5.1"));
  EXPECT_TRUE(may_be("a + b.c > 4.9"));
  EXPECT_FALSE(may_be("a - b.c < -1.1"));
  EXPECT_FALSE(may_be("a * b.c < -6.1"));
  EXPECT_TRUE(may_be("a * b.c < -5.9"));
  EXPECT_TRUE(may_be("a / b.c > 100"));
}

TEST_F(Bounds, Joined) {
  EXPECT_FALSE(may_be("a > 2 && b.c > 2.5"));
  EXPECT_TRUE(may_be("a > 2 || b.c > 2.5"));
  EXPECT_FALSE(may_be("!(a < 4)"));
  EXPECT_TRUE(may_be("!(a < 2)"));
}

TEST_F(Bounds, WhatIsNotThereMeetsWhatIsDenied) {
  EXPECT_FALSE(may_be("gaps > 3"));
  EXPECT_TRUE(may_be("!(gaps < 4)"));
  EXPECT_TRUE(may_be("gaps != 2"));
}

TEST_F(Bounds, WhatIsNotKnownMayBe) {
  EXPECT_TRUE(may_be("unknown > 3"));
  EXPECT_TRUE(may_be("a[0] > 7"));
  EXPECT_TRUE(may_be("name =~ 'x'"));
  EXPECT_TRUE(may_be("abs(a) > 7"));
  EXPECT_FALSE(may_be("unknown > 3 && a > 7"));
}

TEST_F(Bounds, NoRelationHoldsOfAFieldThatTheTypeDoesNotHave) {
  EXPECT_FALSE(may_be("absent > 3"));
  EXPECT_FALSE(may_be("absent + a != 3"));
  EXPECT_TRUE(may_be("absent > 3 || a > 2"));
  EXPECT_TRUE(may_be("!(absent > 3)"));
}

TEST_F(Bounds, TopicsAreKnown) {
  EXPECT_FALSE(may_be("topic == '/imu'"));
  EXPECT_TRUE(may_be("topic == '/battery' && a > 2"));
  EXPECT_TRUE(may_be("type == 'anything'"));
}

TEST_F(Bounds, AConditionThatIsNoneIsRefused) {
  EXPECT_ERROR(invalid, ConditionBounds("a <"));
}

}  // namespace
}  // namespace kitbag
