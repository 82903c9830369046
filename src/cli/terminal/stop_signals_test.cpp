#include "cli/terminal/stop_signals.h"

#include <gtest/gtest.h>

namespace kitbag::cli {
namespace {

using namespace std::chrono_literals;
using Meaning = StopSignals::Meaning;

TEST(StopSignals, TheFirstAsksToStop) {
  StopSignals signals;
  EXPECT_EQ(signals.take(SteadyTime(5s)), Meaning::stop);
}

TEST(StopSignals, WhatFollowsWithinASecondIsTheSameRequest) {
  StopSignals signals;
  signals.take(SteadyTime(5s));
  EXPECT_EQ(signals.take(SteadyTime(5s)), Meaning::repeated);
  EXPECT_EQ(signals.take(SteadyTime(5s + 600ms)), Meaning::repeated);
  EXPECT_EQ(signals.take(SteadyTime(6s - 1ns)), Meaning::repeated);
}

TEST(StopSignals, ASecondAfterTheFirstOneEndsIt) {
  StopSignals signals;
  signals.take(SteadyTime(5s));
  EXPECT_EQ(signals.take(SteadyTime(6s)), Meaning::leave);
}

TEST(StopSignals, RepeatedOnesDoNotProlongTheSecond) {
  StopSignals signals;
  signals.take(SteadyTime(5s));
  signals.take(SteadyTime(5s + 900ms));
  EXPECT_EQ(signals.take(SteadyTime(6s + 100ms)), Meaning::leave);
}

TEST(StopSignals, TheWorkHasAMomentToEnd) {
  StopSignals signals;
  EXPECT_EQ(signals.deadline(), kNever);
  signals.take(SteadyTime(5s));
  signals.take(SteadyTime(5s + 100ms));
  EXPECT_EQ(signals.deadline(), SteadyTime(5s + 200ms));
}

}  // namespace
}  // namespace kitbag::cli
