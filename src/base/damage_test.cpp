#include "kitbag/damage.h"

#include <gtest/gtest.h>

namespace kitbag {
namespace {

Error problem_at(std::uint64_t offset, std::optional<Loss> loss = std::nullopt) {
  return {ErrorCode::corrupt, "damaged", "a.bag", offset, loss};
}

TEST(Damage, SumsWhatIsLost) {
  Damage damage;
  EXPECT_TRUE(damage.add(problem_at(1)));
  EXPECT_TRUE(damage.add(
      problem_at(2, Loss{.bytes = 10, .messages = 3, .from = from_ns(5), .to = from_ns(9)})));
  EXPECT_TRUE(damage.add(problem_at(3, Loss{.bytes = 1, .messages = 2})));
  EXPECT_EQ(damage.count(), 3U);
  EXPECT_EQ(damage.losses(), 2U);
  EXPECT_EQ(damage.lost_messages(), 5U);
  EXPECT_EQ(damage.lost_bytes(), 11U);
  EXPECT_EQ(damage.lost_time(), Duration(4));
  EXPECT_TRUE(damage.is_exact());
}

TEST(Damage, ALossOfUnknownSizeMakesTheSumALeast) {
  Damage damage;
  damage.add(problem_at(2, Loss{.messages = 3}));
  damage.add(problem_at(4, Loss{}));
  EXPECT_EQ(damage.lost_messages(), 3U);
  EXPECT_FALSE(damage.is_exact());
}

TEST(Damage, WhatTheIndexPromisedWrongIsADifferenceAndNoLoss) {
  Damage damage;
  damage.add(problem_at(1));
  EXPECT_FALSE(damage.is_costly());
  EXPECT_EQ(damage.worst().offset(), 1U);
  damage.add(problem_at(2, Loss{.messages = 0}));
  EXPECT_TRUE(damage.is_costly());
  EXPECT_EQ(damage.losses(), 0U);
  EXPECT_EQ(damage.differences(), 1U);
  EXPECT_EQ(damage.worst().offset(), 2U);
  damage.add(problem_at(3, Loss{.bytes = 1, .messages = 0}));
  EXPECT_EQ(damage.losses(), 1U);
}

TEST(Damage, OnePlaceCountsOnceEvenAmongMoreThanAreListed) {
  Damage damage;
  for (std::uint64_t i = 0; i <= Damage::kMostListed; ++i) {
    damage.add(problem_at(i, Loss{.messages = 1}));
  }
  EXPECT_FALSE(damage.add(problem_at(7, Loss{.messages = 1})));
  EXPECT_EQ(damage.problems().size(), Damage::kMostListed);
  EXPECT_EQ(damage.count(), Damage::kMostListed + 1);
  EXPECT_EQ(damage.lost_messages(), Damage::kMostListed + 1);
}

}  // namespace
}  // namespace kitbag
