#include "server/bags/damage_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kitbag::server {
namespace {

using testing::ElementsAre;

TEST(DamageListTest, SaysEachThingOnceAndNoRemarks) {
  DamageList damage;
  damage.add(Error(ErrorCode::corrupt, "a chunk"));
  damage.add(Error(ErrorCode::corrupt, "a chunk"));
  damage.add(Error(ErrorCode::remark, "no index"));
  EXPECT_THAT(damage.sentences(), ElementsAre("a chunk"));
}

TEST(DamageListTest, SaysThatThereIsMore) {
  DamageList first;
  for (int i = 0; i < 100; ++i) first.add("chunk " + std::to_string(i));
  ASSERT_EQ(first.sentences().size(), 21U);
  EXPECT_THAT(first.sentences().back(), testing::StartsWith("there is more"));
  DamageList both;
  both.add("index");
  both.add(first);
  EXPECT_EQ(both.sentences().size(), 21U);
  EXPECT_EQ(both.sentences().back(), first.sentences().back());
}

}  // namespace
}  // namespace kitbag::server
