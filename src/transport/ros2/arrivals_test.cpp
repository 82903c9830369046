#include "transport/ros2/arrivals.h"

#include <gtest/gtest.h>

#include <vector>

namespace kitbag::ros2 {
namespace {

const char kReaders[2] = {};  // only their addresses matter
const void* const kFirst = &kReaders[0];
const void* const kSecond = &kReaders[1];

TEST(Arrivals, GapsAreMissing) {
  Arrivals arrivals(kFirst);
  std::uint64_t missing = 0;
  for (std::uint64_t number : {17U, 18U, 21U, 22U, 1000U}) {
    auto verdict = arrivals.arrived(kFirst, number);
    EXPECT_TRUE(verdict.counts);
    missing += verdict.missing;
  }
  EXPECT_EQ(missing, 2U + 977U);
  EXPECT_EQ(arrivals.last(), 1000U);
}

TEST(Arrivals, WhatWasSentBeforeTheFirstIsNotMissing) {
  EXPECT_EQ(Arrivals(kFirst).arrived(kFirst, 5000).missing, 0U);
}

TEST(Arrivals, UnknownAndRepeatedNumbersAreNoGap) {
  Arrivals arrivals(kFirst);
  for (std::uint64_t number : {7U, 0U, 8U, 8U, 3U, 9U}) {
    auto verdict = arrivals.arrived(kFirst, number);
    EXPECT_TRUE(verdict.counts);
    EXPECT_EQ(verdict.missing, 0U) << number;
  }
}

TEST(Arrivals, OtherReadersDoNotCount) {
  Arrivals arrivals(kFirst);
  arrivals.arrived(kFirst, 1);
  EXPECT_FALSE(arrivals.arrived(kSecond, 5).counts);
  EXPECT_EQ(arrivals.arrived(kFirst, 2).missing, 0U);
}

TEST(Arrivals, AnotherReaderTakesOverWhereTheFirstOneEnds) {
  Arrivals arrivals(kFirst);
  arrivals.arrived(kFirst, 1);
  arrivals.move_to(kSecond);
  EXPECT_TRUE(arrivals.arrived(kFirst, 2).counts) << "the other one has nothing yet";
  EXPECT_FALSE(arrivals.arrived(kSecond, 2).counts) << "it was there already";
  auto verdict = arrivals.arrived(kSecond, 3);
  EXPECT_TRUE(verdict.counts);
  EXPECT_EQ(verdict.missing, 0U);
  EXPECT_FALSE(arrivals.arrived(kFirst, 3).counts);
  EXPECT_EQ(arrivals.arrived(kSecond, 5).missing, 1U);
}

/// A reader of what a publisher has kept comes later than one that heard it live.
TEST(Arrivals, WhatWasKeptCountsAndNothingTwice) {
  Arrivals arrivals(kFirst);
  arrivals.arrived(kFirst, 4);
  arrivals.arrived(kFirst, 5);
  arrivals.move_to(kSecond);
  std::vector<std::uint64_t> counted;
  for (std::uint64_t number : {2U, 3U, 4U, 5U, 6U, 8U}) {
    auto verdict = arrivals.arrived(kSecond, number);
    if (verdict.counts) counted.push_back(number);
    EXPECT_EQ(verdict.missing, number == 8 ? 1U : 0U) << number;
  }
  EXPECT_EQ(counted, (std::vector<std::uint64_t>{2, 3, 6, 8}));
  EXPECT_FALSE(arrivals.arrived(kFirst, 6).counts);
}

}  // namespace
}  // namespace kitbag::ros2
