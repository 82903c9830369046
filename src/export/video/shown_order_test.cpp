#include "export/video/shown_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace kitbag::libav {
namespace {

using ::testing::ElementsAre;
using Groups = std::vector<std::vector<std::size_t>>;

/// Where each frame of each group is shown; `orders` are those of the frames as they are decoded,
/// and 0 begins a sequence.
Groups groups_of(const std::vector<std::int64_t>& orders) {
  Groups groups;
  ShownOrder order([&](std::vector<CodedFrame>& group) {
    groups.emplace_back();
    for (const CodedFrame& frame : group) groups.back().push_back(frame.shown);
  });
  for (std::int64_t each : orders) {
    CodedFrame frame;
    frame.order = each;
    frame.begins_sequence = each == 0;
    order.add(std::move(frame));
  }
  order.end();
  return groups;
}

TEST(ShownOrderTest, FramesInOrderAreGroupsOfTheirOwn) {
  EXPECT_THAT(groups_of({0, 2, 4}), ElementsAre(ElementsAre(0), ElementsAre(0), ElementsAre(0)));
  EXPECT_TRUE(groups_of({}).empty());
}

TEST(ShownOrderTest, FramesThatComeEarlyWaitForThoseBefore) {
  EXPECT_THAT(groups_of({0, 6, 2, 4, 8}),
              ElementsAre(ElementsAre(0), ElementsAre(2, 0, 1), ElementsAre(0)));
  EXPECT_THAT(groups_of({0, 8, 4, 2, 6}), ElementsAre(ElementsAre(0), ElementsAre(3, 1, 0, 2)));
}

TEST(ShownOrderTest, ASequenceThatBeginsEndsTheLast) {
  EXPECT_THAT(groups_of({0, 4, 2, 0, 4, 2}),
              ElementsAre(ElementsAre(0), ElementsAre(1, 0), ElementsAre(0), ElementsAre(1, 0)));
}

TEST(ShownOrderTest, LongStreamsAreInTheOrderOfTheirNumbers) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::int64_t> orders = {0};
    while (orders.size() < 400) {  // parts that are shuffled
      auto begin = static_cast<std::int64_t>(orders.size());
      std::size_t count = 1 + random() % 16;
      for (std::size_t i = 0; i < count; ++i) orders.push_back(begin++);
      std::shuffle(orders.end() - static_cast<std::ptrdiff_t>(count), orders.end(), random);
    }
    std::size_t base = 0;
    for (const auto& group : groups_of(orders)) {
      for (std::size_t i = 0; i < group.size(); ++i) {
        ASSERT_EQ(base + group[i], static_cast<std::size_t>(orders[base + i])) << round;
      }
      base += group.size();
    }
    ASSERT_EQ(base, orders.size());
  }
}

}  // namespace
}  // namespace kitbag::libav
