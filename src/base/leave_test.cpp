#include "kitbag/leave.h"

#include <gtest/gtest.h>

#include <iostream>
#include <optional>
#include <stdexcept>

namespace kitbag {
namespace {

TEST(LeaveDeathTest, EndsTheProcessWithItsCode) {
  EXPECT_EXIT(leave(7, Leave::if_harmless), ::testing::ExitedWithCode(7), "");
}

TEST(LeaveDeathTest, UndoesWhatWasMadeLastFirst) {
  auto make_and_leave = [] {
    OnLeave first([] { std::cerr << "first"; });
    OnLeave failing([]() { throw std::runtime_error("it cannot be undone"); });
    OnLeave second([] { std::cerr << "second,"; });
    leave(2, Leave::if_harmless);
  };
  EXPECT_EXIT(make_and_leave(), ::testing::ExitedWithCode(2), "^second,first$");
}

TEST(LeaveDeathTest, WhatIsCompleteIsNotUndone) {
  auto complete_and_leave = [] {
    std::optional<OnLeave> undoing(std::in_place, [] { std::cerr << "undone"; });
    undoing.reset();
    leave(2, Leave::if_harmless);
  };
  EXPECT_EXIT(complete_and_leave(), ::testing::ExitedWithCode(2), "^$");
}

TEST(LeaveDeathTest, AnObstacleKeepsIt) {
  {
    NoLeave obstacle;
    leave(2, Leave::if_harmless);  // returns
  }
  auto leave_all_the_same = [] {
    NoLeave obstacle;
    leave(3, Leave::always);
  };
  EXPECT_EXIT(leave_all_the_same(), ::testing::ExitedWithCode(3), "");
  EXPECT_EXIT(leave(4, Leave::if_harmless), ::testing::ExitedWithCode(4), "");
}

}  // namespace
}  // namespace kitbag
